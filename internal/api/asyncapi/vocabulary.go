package asyncapi

import (
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/tool"
)

// word is what a field means, and where its Go type does not tell, its form.
type word struct {
	means string
	form  Schema
}

func anything(means string) word { return word{means, Schema{}} }

func oneOf[T ~string](means string, values ...T) word {
	return word{means, Schema{"type": "string", "enum": values}}
}

// vocabulary is by the name of a field, which means the same in every message, or by
// message and field where it does not.
var vocabulary = map[string]word{
	"call_id":      {means: "Names the call in its tenant: 1 to 128 letters, digits, _ and -. A call that a tool made has that of the outer one with ~ and a number."},
	"tool_call_id": {means: "The model provider's own id of the call, echoed untouched."},
	"trace_id":     {"The trace of the request, a W3C trace id.", Schema{"type": "string", "pattern": "^[0-9a-f]{32}$"}},
	"tool":         {means: "The name of the tool, which may hold dots."},
	"tenant":       {means: "Whose it is."},
	"user":         {means: "The person on whose behalf the call is made."},
	"agent":        {means: "The agent that made the call."},
	"conversation": {means: "The conversation the call belongs to."},
	"context":      {means: "On whose behalf the call is made."},
	"arguments":    {"The arguments; numbers keep every digit.", Schema{"type": "object", "additionalProperties": true}},
	"attempt":      {means: "How often the call was delivered, from 1. Above 1 somebody may have begun it before."},
	"worker":       {means: "The id of the worker that ran the call."},
	"deadline":     {means: "When nobody waits for the answer any more."},
	"args_hash":    {means: "`sha256:` and the hash of the arguments in RFC 8785 canonical JSON."},
	"consent_id":   {means: "Names the question to a person."},
	"duration_ms":  {means: "How long the tool ran."},
	"error_type":   oneOf("Why the call failed.", tool.Kinds()...),
	"message":      {means: "What went wrong and what to do, one sentence for the model."},
	"result":       anything("What the tool returned, any JSON value; numbers keep every digit."),
	"text":         {means: "What a model is shown in place of `result`."},
	"time":         {"When it happened.", Schema{"type": "string", "format": "date-time"}},
	"risk":         oneOf("How much harm the tool can do.", tool.Low, tool.Medium, tool.High),
	"scopes":       {means: "What of the world is within reach."},
	"paths":        {"Parts of the file system: `workspace` is the person's own.", Schema{"type": []string{"array", "null"}, "items": Schema{"type": "string"}}},
	"hosts":        {"Hosts; none named means any that the operator allows.", Schema{"type": []string{"array", "null"}, "items": Schema{"type": "string"}}},
	"apps":         {"Programs of the desktop.", Schema{"type": []string{"array", "null"}, "items": Schema{"type": "string"}}},
	"object":       {means: "The name in the object store HELVE_RESULTS."},
	"size":         {means: "In bytes."},
	"sha256":       {means: "Of the bytes, in hex."},
	"result_ref":   {means: "Where `result` lies that is too large for a message."},
	"text_ref":     {means: "Where `text` lies that is too large for a message."},
	"truncated":    {means: "`result` was cut to the tool's bound; `metadata` has the full size."},
	"metadata":     {means: "What the tool or Helve adds."},
	"instance":     {means: "Names one process: 1 to 64 letters, digits, _ and -, another one for each."},
	"ttl_ms":       {means: "How long the process is believed to be there without being heard of: 1,000 to 300,000."},
	"heartbeat_ms": {means: "After how long the registration should be sent again."},
	"unregistered": {means: "Whether the process was there."},
	"rule":         {means: "The rule that decided."},

	"call.arguments":     anything("The arguments as the caller sent them; absent where there are none, or where they lie elsewhere."),
	"call.origin":        {means: "The dispatcher that accepted the call."},
	"call.confirm_token": {means: "What approves the call ahead of time."},
	"call.arguments_ref": {means: "The arguments' name in the object store HELVE_CALLS, where they are too large for a message."},
	"call.accepted_ms":   {means: "When it was accepted, in Unix milliseconds, as all times of this message."},
	"call.deadline_ms":   {means: "When it must have answered."},
	"call.start_by_ms":   {means: "When it must have left the queue."},
	"call.timeout_ms":    {means: "How long the tool may run; absent means its own time."},
	"call.again":         {means: "A copy, published because nobody knew whether the first one was."},

	"result.status": oneOf("How the call stands.", "success", "error", "pending"),
	"result.state":  oneOf("Where the call is.", "queued", "running", "awaiting_consent", "done"),

	"event.id":   {means: "Orders the events of a trace."},
	"event.type": oneOf("What happened.", "queued", "started", "progress", "log", "partial", "awaiting_consent", "resumed", "done"),
	"event.data": anything("What the type calls for: `worker` and `attempt` of `started`, `consent_id` of `awaiting_consent` and `resumed`, `status` and `error_type` of `done`, what the tool says of `progress`, `log` and `partial`."),

	"consent.status":    oneOf("Pending until its one verdict.", consent.Pending),
	"decision.status":   oneOf("The verdict.", consent.Granted, consent.Denied, consent.Expired, consent.Cancelled, consent.Refused),
	"call":              {means: "The call that waits, the first of several that share the question."},
	"reason":            {means: "Why a person is asked."},
	"permissions":       {"The permissions that a yes gives.", Schema{"type": []string{"array", "null"}, "items": Schema{"type": "string"}}},
	"for_tool":          {means: "The call itself needs a yes, not only permissions."},
	"preview":           {means: "The arguments as lines of text, with secrets hidden."},
	"warnings":          {means: "What is not what it looks like, in sentences."},
	"binding":           {means: "What else the yes is for: the version of a script, or of what the call is about."},
	"subject":           {means: "What a lasting answer is remembered under, where that is not the tool's name."},
	"requested_at":      {means: "When the person was asked."},
	"expires_at":        {means: "When nobody can say yes any more."},
	"decision":          {means: "The verdict; absent while there is none."},
	"by":                {means: "Who decided or changed it."},
	"at":                {means: "When it was decided."},
	"remember":          oneOf("How long a yes holds.", consent.Once, consent.Session, consent.Always),
	"never_ask":         {means: "Later calls fail at once, without a question."},
	"comment":           {means: "For people."},
	"audit_id":          {means: "Names the record. One that came twice has the same."},
	"seq":               {means: "The record's place in the stream; readers set it."},
	"phase":             oneOf("What the record tells of.", audit.Started, audit.Finished, audit.Refused, audit.ConsentRequested, audit.ConsentDecided, audit.TokenMinted, audit.Cancelled, audit.GrantChanged, audit.PolicyChanged, audit.AgentChanged, audit.RetentionChanged),
	"tool_version":      {means: "The version of the tool's definition."},
	"token_id":          {means: "Names the token that the record is about."},
	"grant_id":          {means: "Names the grant that the record is about."},
	"record.decision":   {means: "What the gate said."},
	"record.reason":     {means: "Why."},
	"record.trace_id":   {means: "The trace of the request."},
	"record.result":     {means: "How the call ended."},
	"record.status":     {means: "`success` or `error`."},
	"record.error_type": {means: "Why the call failed."},
	"outcome":           oneOf("The gate's decision.", audit.Allowed, audit.Blocked, audit.ConfirmationRequired),
	"summary":           {means: "A sentence about the result, never a part of it."},
	"started_at":        {means: "When the tool began."},
	"ended_at":          {means: "When it ended."},
	"detail":            {means: "One sentence more."},

	"remote_answer.status": oneOf("How the call ended.", "success", "error"),
	"problem.error_type":   oneOf("What is wrong with the request.", "bad_request", "unauthenticated", "forbidden", "not_found", "conflict", "too_large", "overloaded", "unavailable"),
	"problem.message":      {means: "What went wrong and what to do."},
	"registered.tools":     {means: "The names of its tools."},

	"registration.tools":    {means: "The definitions of its tools; what one leaves out has a default."},
	"name":                  {means: "The tool's name: words of letters, digits and _, with dots between them."},
	"description":           {means: "What the tool does, for the model."},
	"category":              {means: "Where it is listed."},
	"group":                 {means: "The switch it is on."},
	"version":               {means: "Its version."},
	"aliases":               {means: "Other names it is found by."},
	"parameters":            {"The JSON Schema of the arguments.", Schema{"type": "object", "additionalProperties": true}},
	"args_schema":           {"Another name of `parameters`.", Schema{"type": "object", "additionalProperties": true}},
	"result_schema":         {"The JSON Schema of the result.", Schema{"type": "object", "additionalProperties": true}},
	"errors":                {means: "The errors it may end in, beside those of any call."},
	"example":               anything("Arguments of an example."),
	"confirmation":          oneOf("When a person is asked beyond what the risk asks.", tool.ConfirmNever, tool.ConfirmIfDestructive, tool.ConfirmAlways),
	"requires_confirmation": {means: "A person is always asked."},
	"mutates":               {means: "It changes something; true where it is not said."},
	"destructive":           {means: "What it changes cannot be undone."},
	"idempotent":            {means: "Twice is the same as once, so that it may be run again."},
	"open_world":            {means: "It reaches beyond the person's own data."},
	"required_permissions":  {means: "What the person must have allowed."},
	"timeout_seconds":       {means: "The longest it may run."},
	"limit":                 {means: "The parameter that bounds a list, and its bounds."},
	"param":                 {means: "The parameter's name."},
	"max":                   {means: "What a higher value becomes."},
	"default":               {means: "What no value becomes."},
	"tags":                  {means: "Words it is looked for by; no model is sent them."},
	"bound_to":              {means: "Of which agents and conversations it is."},
	"tenants":               {means: "These tenants'; none named means any."},
	"agents":                {means: "These agents'; none named means any."},
	"conversations":         {means: "Of these conversations; none named means any."},
	"pool":                  {means: "The workers that run it."},
	"kind":                  {means: "What is behind it; here it does not matter, and is `remote`."},
	"enabled":               {means: "Whether it can be called; not read here."},

	traceparent:    {means: "The W3C trace context, by which the spans of all processes become one trace."},
	messageID:      {means: "What the server knows a repeated message by."},
	"Helve-Events": {means: "The subject on which this call's progress is told. It holds a secret that no other call's has."},
	errorCode:      {means: "A code like HTTP's."},
	errorText:      {means: "What went wrong and what to do."},
}
