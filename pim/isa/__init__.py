"""RISC-V instructions: encodings, decoding, arithmetic and program files."""
