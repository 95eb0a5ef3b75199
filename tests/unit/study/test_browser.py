"""The report in a real browser: it opens, asks nobody, shows its pictures and the results' own figures."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from study.numbers import percent_text, speedup_text
from study.report import write_report
from tests.unit.study.factory import make_result

pytestmark = pytest.mark.browser

RESULTS = [make_result(w, level, s) for w in ("kmeans", "q6") for level, s in (("bank", 0.4), ("chip", 5), ("rank", 2))]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(RESULTS, path, "scalein run")
    browser.get(path.as_uri())
    return browser


def test_page_has_its_title_and_no_console_message(page: Any) -> None:
    assert page.title == "Scale-in report: kmeans, q6"
    assert page.get_log("browser") == []


def test_page_requests_nothing_but_itself(page: Any) -> None:
    import json

    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    urls = [s["request"]["url"] for s in sent if s["documentURL"] == page.current_url]  # the browser's own pages aside
    assert urls.count(page.current_url) == 1, "the log must have seen the page itself"
    assert all(url.startswith("data:") for url in urls if url != page.current_url)


def test_all_pictures_are_drawn(page: Any) -> None:
    images = page.find_elements("css selector", "img")
    assert len(images) == 2
    assert all(page.execute_script("return arguments[0].naturalWidth", image) > 0 for image in images)
    drawings = page.find_elements("css selector", "svg")
    assert len(drawings) == 4
    for drawing in drawings:
        assert drawing.rect["width"] > 300
        assert drawing.rect["height"] > 100


def test_headline_shows_the_results_figures(page: Any) -> None:
    for result in RESULTS:
        row = page.find_element(
            "css selector", f'tr[data-workload="{result.workload}"][data-machine="{result.machine}"]'
        )
        cells = {c.get_attribute("data-figure"): c.text for c in row.find_elements("css selector", "[data-figure]")}
        expected = {"share": percent_text(result.application.offloadable_share)}
        for index, speedup in enumerate(result.speedups):
            expected[f"offloadable {index}"] = speedup_text(speedup.offloadable)
            expected[f"application {index}"] = speedup_text(speedup.application)
        assert cells == expected


def test_page_fits_a_phone(page: Any) -> None:
    page.set_window_size(500, 900)  # Chromium's smallest window
    width = page.execute_script("return document.documentElement.clientWidth")
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    page.set_window_size(1200, 900)


def test_every_link_of_the_page_leads_somewhere(page: Any) -> None:
    targets = {
        link.get_attribute("href").partition("#")[2] for link in page.find_elements("css selector", "main a, nav a")
    }
    assert len(targets) > 5
    for target in targets:
        assert page.find_elements("css selector", f"[id='{target}']"), target
