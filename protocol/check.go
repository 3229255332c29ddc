package protocol

// CheckReport answers system.check.
type CheckReport struct {
	Findings []Finding `json:"findings" doc:"What was found, part by part; at least one finding for each part."`
}

// Finding is the state of one part of the system.
type Finding struct {
	Level   string `json:"level" enum:"ok,warning,error" doc:"ok, warning if it works but should be changed, error if something does not work."`
	Part    string `json:"part" doc:"The part, such as streams."`
	Message string `json:"message" doc:"What was found."`
	Subject string `json:"subject,omitempty" doc:"What of the part it is about, such as a stream, a pool or a server outside; absent if it is about the whole part. It stays the same while the finding lasts."`
	Advice  string `json:"advice,omitempty" doc:"What to do; absent if nothing is to do."`
	Runbook string `json:"runbook,omitempty" doc:"The page of docs/runbooks about it, such as HelveSealLag; absent if there is none."`
}

// The levels of findings.
const (
	FindingOK      = "ok"
	FindingWarning = "warning"
	FindingError   = "error"
)
