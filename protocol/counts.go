package protocol

// Counts answers system.counts: how much waits for the caller. A number is absent if the caller
// may not list what it counts, and if that could not be read.
type Counts struct {
	Consents *int           `json:"consents,omitempty" doc:"Consents that wait for anybody; at most 50, which means that there may be more. For approvers, auditors and admins."`
	Own      *int           `json:"own,omitempty" doc:"Consents that wait for the caller, likewise; absent if the credential names no person."`
	Programs *int           `json:"programs,omitempty" doc:"Programs that have not ended, likewise: all of the tenant for auditors and admins, else those of the caller; absent if there are none."`
	Dead     *int           `json:"dead,omitempty" doc:"Dead letters, likewise. For auditors and admins."`
	Upstream *int           `json:"upstream,omitempty" doc:"Definitions of tools of MCP servers and API documents that wait for a review, likewise. For admins, in the tenant default."`
	Findings *FindingCounts `json:"findings,omitempty" doc:"Findings of system.check. For auditors and admins, in the tenant default."`
}

// FindingCounts counts the findings of system.check by their level.
type FindingCounts struct {
	Errors   int `json:"errors" doc:"What does not work."`
	Warnings int `json:"warnings" doc:"What works but should be changed."`
}
