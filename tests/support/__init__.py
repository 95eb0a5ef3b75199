"""What several tests share: an assembler, program files, another disassembler's text."""
