package protocol

import "time"

// Grant is a remembered decision: a permission or a tool that a person allows, or
// refuses if deny is set, without being asked again.
type Grant struct {
	ID           string    `json:"grant_id" doc:"Its id."`
	Tenant       string    `json:"tenant" doc:"The tenant."`
	User         string    `json:"user" doc:"The person who decided."`
	Permission   string    `json:"permission,omitempty" doc:"The permission that it covers; absent if it covers a tool."`
	Tool         string    `json:"tool,omitempty" doc:"The tool that it covers; absent if it covers a permission."`
	Conversation string    `json:"conversation,omitempty" doc:"The conversation in which it holds; absent if it holds everywhere."`
	Program      string    `json:"program,omitempty" doc:"The program for whose rest it holds, with the programs that it runs; absent if it holds beyond one."`
	TraceID      string    `json:"trace_id,omitempty" doc:"The trace of that program."`
	ProgramRun   string    `json:"program_run,omitempty" doc:"A hash that names the run of that program, with its code: another program with its call_id is not covered."`
	Deny         bool      `json:"deny,omitzero" doc:"true if it refuses."`
	Tools        []string  `json:"tools,omitempty" doc:"The tools, names and patterns that end in *, of which it covers calls of medium risk: those of a durable tool that was approved."`
	Scopes       *Scopes   `json:"scopes,omitzero" doc:"What the calls may reach."`
	By           string    `json:"by" doc:"The person who made it."`
	At           time.Time `json:"granted_at" doc:"The time it was made."`
	ConsentID    string    `json:"consent_id,omitempty" doc:"The consent that created it."`
}

// GrantList answers grants.list.
type GrantList struct {
	Grants []Grant `json:"grants" doc:"The grants."`
}

// MintRequest is the body of tokens.mint: a plan that a person approves.
type MintRequest struct {
	Speaker

	User       string   `json:"user,omitempty" doc:"The person whose calls the token covers; if absent, the person who approves."`
	TraceID    string   `json:"trace_id,omitempty" doc:"The trace id of the calls; it may be absent with program."`
	Tools      []string `json:"tools" doc:"The exact names of the tools, 1 to 100."`
	Scopes     *Scopes  `json:"scopes,omitzero" doc:"What the calls may reach."`
	ArgsHash   string   `json:"args_hash,omitempty" doc:"To cover one call only: sha256: and the hash of its arguments in canonical JSON."`
	CallID     string   `json:"call_id,omitempty" doc:"To cover one call only: its id."`
	Program    string   `json:"program,omitempty" doc:"To cover steps of one program only, which runs or waits: its call_id. Its steps bring the token along."`
	TTLSeconds *float64 `json:"ttl_seconds,omitzero" doc:"The lifetime: 1 to 86400 seconds, 300 if absent."`
	Reusable   bool     `json:"reusable,omitzero" doc:"true if it covers several calls."`
}

// MintedToken answers tokens.mint.
type MintedToken struct {
	Token     string    `json:"token" doc:"The value of confirm_token for the calls."`
	ID        string    `json:"token_id" doc:"Its id in the audit trail."`
	ExpiresAt time.Time `json:"expires_at" doc:"The time it expires."`
}
