package protocol

import (
	"encoding/json"
	"time"
)

// ConsentStatus is the status of a consent.
type ConsentStatus string

// The statuses of a consent. It is pending until it gets its only verdict.
const (
	PendingConsent   ConsentStatus = "pending"
	GrantedConsent   ConsentStatus = "granted"
	DeniedConsent    ConsentStatus = "denied"
	ExpiredConsent   ConsentStatus = "expired"
	CancelledConsent ConsentStatus = "cancelled"
	// RefusedConsent is a request that was never shown, because too many were pending.
	RefusedConsent ConsentStatus = "refused"
)

// Remember is the time a decision holds.
type Remember string

// The times a decision holds: for this call, for the rest of the program whose step the call
// is, for the conversation, or until it is revoked.
const (
	RememberOnce    Remember = "once"
	RememberProgram Remember = "program"
	RememberSession Remember = "session"
	RememberAlways  Remember = "always"
)

// The kinds of a consent that does not ask for an approval: for an answer, or for an
// account that the person connects.
const (
	ConsentQuestion = "question"
	ConsentAccount  = "account"
)

// Consent is a request to a person: to decide whether a call may run; if its kind is
// question, to give the answer that becomes the call's result; if it is account, to connect
// an account that the call needs.
type Consent struct {
	ID           string          `json:"consent_id" doc:"Its id."`
	Status       ConsentStatus   `json:"status" doc:"The status."`
	Kind         string          `json:"kind,omitempty" doc:"question if an answer is asked for, account if an account is to be connected; absent if an approval is asked for."`
	Question     string          `json:"question,omitempty" doc:"The question, if kind is question."`
	Schema       json.RawMessage `json:"schema,omitzero" doc:"The JSON Schema of the answer: a flat object."`
	Service      string          `json:"service,omitempty" doc:"The service whose account is to be connected, if kind is account."`
	ConnectURL   string          `json:"connect_url,omitempty" doc:"The address at which the person connects it, if kind is account. It needs the person's own credential."`
	Sentence     string          `json:"sentence,omitempty" doc:"What will happen, in a line: in the language of the header Accept-Language where an operation answers, otherwise in English. It follows from the tool and the arguments."`
	Description  string          `json:"description,omitempty" doc:"The description of the tool, at most 1,000 characters of it."`
	Program      *ConsentProgram `json:"program,omitzero" doc:"The program whose step the call is; absent if it is none."`
	Call         ConsentCall     `json:"call" doc:"The waiting call; the first, if several share the consent."`
	Tool         string          `json:"tool" doc:"The tool to run."`
	Risk         Risk            `json:"risk" doc:"The harm that the call can do."`
	Reason       string          `json:"reason" doc:"The reason a person is asked."`
	Rule         string          `json:"rule,omitempty" doc:"The rule that requires the consent."`
	Tools        []string        `json:"tools,omitempty" doc:"The tools that the call of a durable tool may call. An approval covers its steps of medium risk with them, in this run; high risk is asked each time."`
	Permissions  []string        `json:"permissions" doc:"The permissions that an approval grants."`
	ForTool      bool            `json:"for_tool" doc:"true if the call itself needs approval, not only its permissions."`
	Scopes       Scopes          `json:"scopes" doc:"What the call may reach."`
	Hosts        []string        `json:"hosts,omitempty" doc:"The hosts that the arguments name. A remembered approval covers only these hosts."`
	Tenant       string          `json:"tenant" doc:"The tenant."`
	User         string          `json:"user" doc:"The person who is asked."`
	Agent        string          `json:"agent,omitempty" doc:"The agent that made the call."`
	Conversation string          `json:"conversation,omitempty" doc:"The conversation of the call."`
	Arguments    json.RawMessage `json:"arguments" doc:"The arguments, with secrets hidden, made safe to display."`
	Preview      string          `json:"preview" doc:"The arguments as lines of text."`
	Warnings     []string        `json:"warnings,omitempty" doc:"Sentences about misleading characters or values. Show them with the preview."`
	Changes      []Change        `json:"changes,omitempty" doc:"The texts that the call replaces or removes, if it needs approval, at most 20. If one of them is another when the call runs, the person is asked again. A list leaves texts out where they would be too long together, which cut says."`
	ArgsHash     string          `json:"args_hash" doc:"The hash of the arguments of the call."`
	Binding      string          `json:"binding,omitempty" doc:"What else the approval is bound to: the version of a script or of the call's target."`
	Subject      string          `json:"subject,omitempty" doc:"The name under which a lasting decision is stored, if not the tool's."`
	Adopts       string          `json:"adopts,omitempty" doc:"The requested permission to use a tool that another person made. Its approval holds only for that version, whatever remember is."`
	ApproverOnly bool            `json:"approver_only,omitzero" doc:"true if only a person with the role approver may grant it."`
	RequestedAt  time.Time       `json:"requested_at" doc:"The time of the request."`
	ExpiresAt    time.Time       `json:"expires_at" doc:"The time it expires without a verdict."`
	Verdict      *Verdict        `json:"decision,omitzero" doc:"The verdict; absent while pending."`
}

// Change is a text that a call replaces or removes: a file of the workspace, or the code of a
// tool.
type Change struct {
	Path      string  `json:"path" doc:"The file, relative to the workspace; for the code of a tool the tool's name and .js."`
	OldSHA256 string  `json:"old_sha256,omitempty" doc:"The SHA-256 of what it holds now, in hexadecimal digits; absent if it does not exist, is a directory, or is larger than 64 MiB."`
	Old       *string `json:"old,omitempty" doc:"What it holds now, with secrets hidden, at most 64 KiB; absent if it does not exist or is no UTF-8 text."`
	New       *string `json:"new,omitempty" doc:"What it will hold, with secrets hidden, at most 64 KiB; absent if it will be gone, is no UTF-8 text, or is not known before the call runs."`
	Cut       bool    `json:"cut,omitzero" doc:"true if old and new are parts of longer texts: those with the difference."`
}

// ConsentCall names the call that waits for a consent; the first, if several calls
// share the consent.
type ConsentCall struct {
	CallID     string `json:"call_id" doc:"The call's id."`
	ToolCallID string `json:"tool_call_id,omitempty" doc:"The model provider's id."`
	TraceID    string `json:"trace_id" doc:"The trace."`
}

// Verdict is the decision that ends a consent.
type Verdict struct {
	Status   ConsentStatus   `json:"status" doc:"The final status of the consent."`
	By       string          `json:"by" doc:"The person who decided."`
	At       time.Time       `json:"at" doc:"The time of the decision."`
	Remember Remember        `json:"remember,omitempty" doc:"The time it holds."`
	NeverAsk bool            `json:"never_ask,omitzero" doc:"true if the person is not asked again."`
	Comment  string          `json:"comment,omitempty" doc:"A comment for people."`
	Approver bool            `json:"approver,omitzero" doc:"true if the person who decided held the role approver or admin."`
	Answer   json.RawMessage `json:"answer,omitzero" doc:"The answer to a question."`
}

// ConsentList answers consent.list.
type ConsentList struct {
	Consents []Consent `json:"consents" doc:"The consents, newest first unless oldest is true; empty if unchanged is true."`
	Next     string    `json:"next,omitempty" doc:"The cursor of the next page; absent on the last."`
	// Revision is sent back to wait for a change.
	Revision  string `json:"revision,omitempty" doc:"The state of the inbox. Sent back as revision, with wait_ms, it makes a request wait for a change."`
	Unchanged bool   `json:"unchanged,omitzero" doc:"true if the inbox still has the revision of the request; the list is then left out."`
}

// DecisionRequest is the body of consent.decide.
type DecisionRequest struct {
	Speaker

	Decision string          `json:"decision" enum:"grant,deny" doc:"grant or deny."`
	Remember Remember        `json:"remember,omitempty" doc:"The time it holds; once if absent."`
	NeverAsk bool            `json:"never_ask,omitzero" doc:"With deny: fail such calls from now on without asking."`
	Comment  string          `json:"comment,omitempty" doc:"A comment to store with it, for people."`
	Answer   json.RawMessage `json:"answer,omitzero" doc:"With grant, if kind is question: the answer, an object that matches the schema."`
}

// ConsentProgram is the place in a program from which a call came.
type ConsentProgram struct {
	CallID string `json:"call_id" doc:"The call that the program is."`
	Line   int    `json:"line" doc:"The line of its code."`
	Step   string `json:"step,omitempty" doc:"The name of the part of the program that the line is in."`
	Covers string `json:"covers,omitempty" doc:"What an approval with remember program covers for the rest of the program: the tool, and what it may reach. Absent if the call can be approved only once."`
}
