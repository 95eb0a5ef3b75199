"""The translator: a program's basic blocks as native code, with the interpreter's meaning and its time."""
