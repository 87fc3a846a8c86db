"""Every command that prints JSON, with the type of what it prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.outputs import analyses, campaigns, commands, instances, verdicts

_Status = campaigns.CampaignFacts | campaigns.WaitingCampaign
_Ended = commands.Finished | campaigns.Launched | commands.SubmittedDriver

OUTPUTS: Mapping[str, Any] = {
    "plan": commands.PlanFacts | commands.ForecastFacts | commands.PlanAsked,
    "launch": _Ended,
    "status": _Status | list[_Status] | campaigns.WatchMessage,
    "attach": campaigns.Outcome,
    "stop": campaigns.StopAsked,
    "resume": _Ended,
    "instance list": list[instances.InstanceRow],
    "instance show": instances.InstanceFacts
    | instances.CurvesOfAttempt
    | instances.LogTexts
    | commands.Timeline
    | commands.KernelProfile
    | commands.Provenance,
    "instance add": campaigns.AddedFacts,
    "instance cancel": list[campaigns.AskedFacts],
    "instance pause": list[campaigns.AskedFacts],
    "instance unpause": list[campaigns.AskedFacts],
    "instance retry": list[campaigns.AskedFacts] | commands.Replaced,
    "fom": verdicts.VerdictFacts,
    "explain": campaigns.Waits,
    "report": commands.WrittenReport,
    "logs": commands.Logs,
    "events": campaigns.EventFacts,
    "analyze study": analyses.Study,
    "analyze compare": analyses.Comparison
    | analyses.AxisComparison
    | list[analyses.CampaignTime]
    | list[campaigns.AnswerFacts],
    "analyze makespan": analyses.MakespanExplained,
    "analyze forecasts": analyses.Forecasts | list[campaigns.UpdatedForecast],
    "analyze roofline": analyses.RooflineFacts,
    "analyze project": analyses.Projection,
    "reproduce list": list[commands.Document],
    "reproduce plan": list[commands.PartCost],
    "reproduce report": commands.RegeneratedDocument,
    "reproduce package": commands.PackageFacts,
    "evidence package": commands.PackageFacts,
    "evidence verify": commands.VerifiedPackage,
    "evidence list build": commands.BuiltList,
    "evidence list check": commands.CheckedList,
    "site list": list[commands.SiteRow],
    "site show": commands.Facts,
    "site copy": commands.SiteFile,
    "site detect": commands.Facts,
    "site check": commands.SiteChecked,
    "node screen": analyses.Screened | commands.PlanFacts,
    "node rank": analyses.NodeRanks,
    "node add": list[campaigns.AskedFacts],
    "node set": list[campaigns.AskedFacts],
    "node pause": list[campaigns.AskedFacts],
    "node unpause": list[campaigns.AskedFacts],
    "node remove": list[campaigns.AskedFacts],
    "node exclude": list[campaigns.AskedFacts],
    "node include": list[campaigns.AskedFacts],
    "node leftovers": commands.Leftovers,
    "workload list": list[commands.WorkloadRow],
    "workload show": commands.WorkloadFacts,
    "workload copy": commands.WorkloadFile,
    "workload tune": analyses.Tuned | commands.PlanFacts,
    "data generate": list[str],
    "data fetch": commands.Fetched | commands.FetchList,
    "data verify": commands.DataVerified,
    "data cache": commands.Facts,
    "rulebook list": list[commands.RulebookRow],
    "rulebook show": commands.RulebookFacts,
    "ledger query": list[commands.Facts],
    "ledger init": commands.LedgerSchema,
    "ledger upgrade": commands.LedgerSchema,
    "ledger verify": commands.LedgerVerified,
    "ledger compact": commands.Compacted,
    "ledger backup": commands.BackedUp,
    "ledger export": commands.Exported,
    "ledger import": commands.Imported,
    "ledger copy": commands.Imported,
    "ledger rebuild": commands.Rebuilt,
    "ledger trace": commands.SentTraces,
    "ledger label": campaigns.LabelFacts,
    "ledger rename": commands.Renamed,
    "ledger remove": commands.Removed,
}
"""Types by the words of the command. `events` prints such an object a line, and `--watch` with each look."""
