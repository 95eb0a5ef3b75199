"""The report's words, each in one sentence for a reader who knows either Spark or DRAM, not both."""

GLOSSARY: dict[str, str] = {
    "application": (
        "The load stage (read, parse, cache) plus one measured repeat (the median of three), the driver's gaps "
        "included; JVM start-up and warm-up are not in it."
    ),
    "offloadable part": "The stages of the application that are bound to a kernel which can run inside the memory.",
    "offloadable share": "The offloadable part's time on Spark, divided by the application's.",
    "host remainder": "The application without its offloadable part; it runs on the host in every case.",
    "scale-in time": "The offloadable part inside the memory, with all its costs: copy to gather in the tables here.",
    "speedup of the offloadable part": "The baseline's time for the offloadable part, divided by the scale-in time.",
    "speedup of the application": (
        "(Remainder + the baseline's time for the offloadable part) / (remainder + scale-in time)."
    ),
    "Spark baseline": (
        "Task times from the application's event log, list-scheduled on N executor cores; the machine is named."
    ),
    "native baseline": (
        "The same kernels compiled for the host, on N threads, bounded by the host's memory bandwidth."
    ),
    "bank, chip, rank level": (
        "Where the cores sit: at each bank's row buffer, on each DRAM die, or in each DIMM's buffer chip."
    ),
    "row buffer": "The sense amplifiers of a bank, which hold one open row.",
    "line buffer": "SRAM in a core that holds a line (by default a row's worth) of its memory.",
    "copy": "Moving inputs from the host's memory to where the cores see them.",
    "flush": "Writing the host's caches back, so that cores see what the host wrote.",
    "layout": ("The 8x8 byte transpose: the host stripes each 64-bit word over eight chips, a core sees one chip."),
    "input already in place": (
        "The scale-in time without the copy, flush and layout of the input: where it lies in the memory in the cores' "
        "layout before the application starts."
    ),
    "launch": "Handing memory over, writing arguments, starting the cores and learning that they ended.",
    "map + combine": "The map kernel on the cores, combining equal keys there; a phase ends with its slowest core.",
    "shuffle": "Exchange of intermediate results between cores by key.",
    "reduce": "The reduce kernel, on the cores.",
    "gather": "Reading the results back to the host.",
    "host in the job": "Work on the host inside the offloaded part, for example between two iterations.",
    "CPI stack": "Core cycles per retired instruction, split by what the cycles were spent on.",
    "sampling": (
        "Only some groups of cores (at bank and chip level: chips) are simulated cycle by cycle; what every core "
        "computes is complete, and compared with Spark's result."
    ),
    "preliminary": "A first form of a model; expect the figure to move.",
    "RTL-checked: no": "No register-transfer-level design of this configuration has confirmed these cycle counts yet.",
}
