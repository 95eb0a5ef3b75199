"""Operations and their classes: dense numbers that decoder, interpreter, translator and timing model share.

Related operations are neighbours, so that a kernel can test a range (``Op.LB <= op <= Op.FLD`` is a load).
The numbers are ours and may move; they are never stored in a file. Encodings are in `pim.isa.encoding`.
"""

from enum import IntEnum


class OpClass(IntEnum):
    """What an operation occupies in the core: the unit of timing tables and energy counters."""

    ILLEGAL = 0
    ALU = 1
    MUL = 2
    DIV = 3
    LOAD = 4
    STORE = 5
    BRANCH = 6
    JUMP = 7
    AMO = 8
    FP_ADD = 9
    FP_MUL = 10
    FP_FMA = 11
    FP_DIV = 12
    FP_SQRT = 13
    FP_MOVE = 14
    FP_COMPARE = 15
    FP_CONVERT = 16
    CSR = 17
    FENCE = 18
    SYSTEM = 19


class Op(IntEnum):
    """An operation: one per 32-bit instruction of RV32/RV64 IMAFD, Zicsr, Zifencei; 0 is an illegal one."""

    ILLEGAL = 0
    # integer arithmetic
    ADDI = 1
    SLTI = 2
    SLTIU = 3
    XORI = 4
    ORI = 5
    ANDI = 6
    SLLI = 7
    SRLI = 8
    SRAI = 9
    ADDIW = 10
    SLLIW = 11
    SRLIW = 12
    SRAIW = 13
    LUI = 14
    AUIPC = 15
    ADD = 16
    SUB = 17
    SLL = 18
    SLT = 19
    SLTU = 20
    XOR = 21
    SRL = 22
    SRA = 23
    OR = 24
    AND = 25
    ADDW = 26
    SUBW = 27
    SLLW = 28
    SRLW = 29
    SRAW = 30
    # multiplication
    MUL = 31
    MULH = 32
    MULHSU = 33
    MULHU = 34
    MULW = 35
    # division
    DIV = 36
    DIVU = 37
    REM = 38
    REMU = 39
    DIVW = 40
    DIVUW = 41
    REMW = 42
    REMUW = 43
    # loads
    LB = 44
    LH = 45
    LW = 46
    LD = 47
    LBU = 48
    LHU = 49
    LWU = 50
    FLW = 51
    FLD = 52
    # stores
    SB = 53
    SH = 54
    SW = 55
    SD = 56
    FSW = 57
    FSD = 58
    # branches
    BEQ = 59
    BNE = 60
    BLT = 61
    BGE = 62
    BLTU = 63
    BGEU = 64
    # jumps
    JAL = 65
    JALR = 66
    # atomics
    LR_W = 67
    SC_W = 68
    AMOSWAP_W = 69
    AMOADD_W = 70
    AMOXOR_W = 71
    AMOAND_W = 72
    AMOOR_W = 73
    AMOMIN_W = 74
    AMOMAX_W = 75
    AMOMINU_W = 76
    AMOMAXU_W = 77
    LR_D = 78
    SC_D = 79
    AMOSWAP_D = 80
    AMOADD_D = 81
    AMOXOR_D = 82
    AMOAND_D = 83
    AMOOR_D = 84
    AMOMIN_D = 85
    AMOMAX_D = 86
    AMOMINU_D = 87
    AMOMAXU_D = 88
    # floating point
    FADD_S = 89
    FADD_D = 90
    FSUB_S = 91
    FSUB_D = 92
    FMUL_S = 93
    FMUL_D = 94
    FMADD_S = 95
    FMADD_D = 96
    FMSUB_S = 97
    FMSUB_D = 98
    FNMSUB_S = 99
    FNMSUB_D = 100
    FNMADD_S = 101
    FNMADD_D = 102
    FDIV_S = 103
    FDIV_D = 104
    FSQRT_S = 105
    FSQRT_D = 106
    FSGNJ_S = 107
    FSGNJ_D = 108
    FSGNJN_S = 109
    FSGNJN_D = 110
    FSGNJX_S = 111
    FSGNJX_D = 112
    FMIN_S = 113
    FMIN_D = 114
    FMAX_S = 115
    FMAX_D = 116
    FEQ_S = 117
    FEQ_D = 118
    FLT_S = 119
    FLT_D = 120
    FLE_S = 121
    FLE_D = 122
    FCLASS_S = 123
    FCLASS_D = 124
    FCVT_W_S = 125
    FCVT_W_D = 126
    FCVT_WU_S = 127
    FCVT_WU_D = 128
    FCVT_L_S = 129
    FCVT_L_D = 130
    FCVT_LU_S = 131
    FCVT_LU_D = 132
    FCVT_S_W = 133
    FCVT_D_W = 134
    FCVT_S_WU = 135
    FCVT_D_WU = 136
    FCVT_S_L = 137
    FCVT_D_L = 138
    FCVT_S_LU = 139
    FCVT_D_LU = 140
    FCVT_S_D = 141
    FCVT_D_S = 142
    FMV_X_W = 143
    FMV_X_D = 144
    FMV_W_X = 145
    FMV_D_X = 146
    # control registers
    CSRRW = 147
    CSRRS = 148
    CSRRC = 149
    CSRRWI = 150
    CSRRSI = 151
    CSRRCI = 152
    # fences
    FENCE = 153
    FENCE_I = 154
    # system
    ECALL = 155
    EBREAK = 156
    MRET = 157
    WFI = 158

    @property
    def mnemonic(self) -> str:
        """Assembler name, for example ``amoadd.w``."""
        return self.name.lower().replace("_", ".")
