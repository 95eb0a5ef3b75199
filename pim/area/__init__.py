"""Silicon area of a configuration, as a share of what it sits on."""

from pim.area.report import AreaReport, AreaRow, Site, core_area, share_of

__all__ = ["AreaReport", "AreaRow", "Site", "core_area", "share_of"]
