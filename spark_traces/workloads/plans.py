"""The physical plan that Spark executed, as JSON, read from the JVM through py4j."""

from typing import Any

import orjson


def plan_fragments(plan: Any) -> list[Any]:
    """Return the JSON form of an executed plan, one value per query stage, the last stage first.

    Adaptive execution hides a stage's operators behind a leaf (``ShuffleQueryStageExec`` and the like), for which
    Spark's ``toJSON`` prints only the leaf; each is opened here.

    Parameters
    ----------
    plan : JavaObject
        ``org.apache.spark.sql.execution.SparkPlan``.
    """
    fragments: list[Any] = []
    _visit(plan, fragments, is_root=True)
    return fragments


def _visit(plan: Any, fragments: list[Any], *, is_root: bool) -> None:
    kind = plan.getClass().getSimpleName()
    if kind == "AdaptiveSparkPlanExec":
        _visit(plan.executedPlan(), fragments, is_root=True)
        return
    if kind.endswith("QueryStageExec"):
        _visit(plan.plan(), fragments, is_root=True)
        return
    if is_root:
        fragments.append(orjson.loads(plan.toJSON()))
    children = plan.children()
    for i in range(children.size()):
        _visit(children.apply(i), fragments, is_root=False)
