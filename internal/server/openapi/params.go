package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

const (
	name   = "^[A-Za-z0-9_-]{1,64}$"
	callID = "^[A-Za-z0-9_-]{1,128}(~[0-9]{1,4}){0,6}$"
	hex    = "^[0-9a-f]{32}$"
)

// param is a parameter in the path or the query.
type param struct {
	text    string
	pattern string
	values  []any
	set     string // the schema of its closed set
	number  bool
	most    float64 // of a number; 1000 if absent
}

// params has the parameters by name, or by operation and name if the meaning of a name
// depends on the operation.
var params = map[string]param{
	"name":         {text: "The tool's name."},
	"call_id":      {text: "The call.", pattern: callID},
	"consent_id":   {text: "The consent.", pattern: callID},
	"grant_id":     {text: "The grant.", pattern: callID},
	"agent":        {text: "The agent.", pattern: name},
	"user":         {text: "Of this person only. A caller without a wider role sees their own in any case.", pattern: name},
	"conversation": {text: "In this conversation.", pattern: name},
	"tool":         {text: "For this tool, by name."},
	"by":           {text: "The person who revokes, where the credential names none.", pattern: name},
	"endpoint":     {text: "The device, by its address at the push service."},
	"push.user":    {text: "The person, where the credential names none.", pattern: name},
	"trace_id":     {text: "Of this trace.", pattern: hex},
	"limit":        {text: "How many a page holds at most: 1 to 1000, 100 if absent.", number: true},
	"cursor":       {text: "The next of the page before; absent for the first."},
	"from":         {text: "Not before this time: RFC 3339, seconds since 1970, or how long ago, like 1h30m."},
	"to":           {text: "Before this time, written like from."},
	"phase":        {text: "Records that tell of this.", set: "AuditPhase"},
	"outcome": {
		text: "What the gate decided.", values: values(protocol.OutcomeAllowed, protocol.OutcomeBlocked, protocol.OutcomeConfirmationRequired),
	},
	"error_type": {text: "How the call failed."},
	"newest": {
		text: "Whether the page ends with the newest record, in place of beginning with the oldest. " +
			"A trace or a call is told from its beginning all the same.",
		values: values("true", "false"),
	},
	"text": {
		text: "A part of any text of the record, in any case; at most 200 bytes. A page looks at 20,000 records, so that an empty one may be " +
			"followed by others.",
	},
	"before": {text: "With newest: the older of the page after this one.", pattern: "^[1-9][0-9]{0,18}(\\.[1-9][0-9]{0,2})?$"},
	"from_seq": {
		text: "From the seal on that covers the record at this seq; from the first on if absent.", pattern: "^[1-9][0-9]{0,18}$",
	},
	"to_seq":     {text: "Up to the seal that covers the record at this seq; to the end if absent.", pattern: "^[1-9][0-9]{0,18}$"},
	"oldest":     {text: "Whether the oldest come first.", values: values("true", "false")},
	"revision":   {text: "The revision of the list that is known. If the inbox still has it, the answer has no list."},
	"wait_ms":    {text: "How long to wait for another revision, in milliseconds; at most 8000.", number: true},
	"index":      {text: "Whether the index that answers queries is held against the trail too.", values: values("true", "false")},
	"path":       {text: "The file, or the directory of a list, relative to the workspace. It may contain slashes."},
	"files.user": {text: "The person whose workspace it is, for an admin; the caller's own if absent.", pattern: name},
	"toolset":    {text: "Tools of this tool set: all (the default), search or code."},
	"q":          {text: "Words to look for."},
	"group":      {text: "Tools of this group."},
	"category":   {text: "Tools of this category."},
	"format": {
		text: "How the definitions are written.", values: values("native", "openai", "openai_responses", "anthropic", "gemini", "mcp"),
	},
	"audit.status":   {text: "How the call ended.", values: values(protocol.StatusSuccess, protocol.StatusError, protocol.StatusPending)},
	"consent.status": {text: "How they stand; absent for all.", set: "ConsentStatus"},
	"groups.tool":    {text: "The group of this tool only."},
	"seq":            {text: "The number of the dead letter.", pattern: "^[0-9]{1,20}$"},
	"state": {
		text: "In this state.", values: values(
			protocol.StateQueued, protocol.StateRunning, protocol.StateAwaitingConsent, protocol.StateWaiting, protocol.StateDone,
		),
	},
	"programs.status": {text: "With this outcome.", values: values(protocol.StatusSuccess, protocol.StatusError, protocol.StatusPending)},
	"programs.user":   {text: "For this person.", pattern: name},
	"programs.agent":  {text: "By this agent.", pattern: name},
	"programs.limit":  {text: "How many a page holds at most: 1 to 200, 50 if absent.", number: true, most: 200},
	"calls.status":    {text: "With this outcome.", values: values(protocol.StatusSuccess, protocol.StatusError, protocol.StatusPending)},
	"calls.user":      {text: "For this person.", pattern: name},
	"calls.agent":     {text: "By this agent.", pattern: name},
	"calls.version":   {text: "Of this version of the tool: as it ran, and of a call that is not done as the catalogue has it."},
	"calls.q":         {text: "A part of the id, the tool or the summary, in any case; at most 200 bytes."},
	"contents": {
		text: "Whether q is looked for in arguments and results too, of calls that have ended: in arguments as calls.get shows them, " +
			"and in results while they are stored, if they fit into a message. Calls of others that are found so are on the trail as viewed.",
		values: values("true", "false"),
	},
	"service": {text: "The service, by name.", pattern: name},
	"label":   {text: "The entry's label; default for the entry that tools use first.", pattern: name},
	"version": {
		text: "The version whose code is wanted: the current one, which it is if absent, or the shared one.", pattern: "^[1-9][0-9]{0,8}$",
	},
	"browser": {
		text: "Whether an address for a browser is wanted even if the provider has codes for terminals.", values: values("true", "false"),
	},
	"connection_id": {text: "The connection, as services.connect has answered."},
	"code":          {text: "The code that the person's browser shows, to confirm the connection."},
	"worker":        {text: "The worker, by id.", pattern: name},
	"calls.worker":  {text: "That this worker runs or ran, by id.", pattern: name},
	"pools.pool":    {text: "The pool.", pattern: name},
	"include": {
		text: "Further members: the arguments of the call, with secrets hidden; its steps, with their times; its result after that has " +
			"expired.",
		values: values(api.Includes()...),
	},
	"range":       {text: "How far back; an hour if absent.", values: values("1h", "24h", "7d")},
	"minutes":     {text: "How far back, in place of range: 1 to 60 minutes.", pattern: "^([1-9]|[1-5][0-9]|60)$"},
	"policy.pool": {text: "Of the workers of this pool; of any pool if absent.", pattern: name},
	"tools.from":  {text: "Not before this time, written as in audit.query; an hour before to if absent, and at most 31 days before."},
	"brief":       {text: "Whether to leave the lists of tools out, which may be long.", values: values("true", "false")},
	"pool":        {text: "Of this pool only.", pattern: name},
	"owner":       {text: "The person whose tool it is. A caller without a wider role means their own in any case.", pattern: name},
	"tools.user":  {text: "What a call for this person may use, their own custom tools among it.", pattern: name},
	"groups.user": {text: "With the custom tools of this person.", pattern: name},
	"custom.user": {text: "The owner, where the credential names none.", pattern: name},
	"tools.agent": {text: "What this agent may use; absent for a call that names none.", pattern: name},
	"audit.call_id": {
		text: "Of this call; the ID of a nested call ends in ~ and a number.", pattern: `^[A-Za-z0-9_-]{1,128}(~[0-9]{1,4}){0,3}$`,
	},
	"consent.agent":   {text: "Asked by this agent.", pattern: name},
	"audit.agent":     {text: "By this agent.", pattern: name},
	"audit.user":      {text: "For this person.", pattern: name},
	"events.trace_id": {text: "The trace to follow.", pattern: hex},
	"id":              {text: "The scheduled task.", pattern: name},
	"data.user":       {text: "The person whose data it is; the caller, if absent. _ is the person of calls without a user.", pattern: name},
	"data.format":     {text: "How the data is written; jsonl if absent.", values: values("jsonl", "csv", "ics", "vcf", "html")},
	"schedules.user":  {text: "Tasks of this person only. A caller without a wider role sees their own in any case.", pattern: name},
	"consent.user":    {text: "Asked of this person. A caller without a wider role sees their own in any case.", pattern: name},
}

// mandatory lists the required query parameters.
var mandatory = []string{"events.trace_id"}

// parameters returns the parameters of an operation, including those that every
// operation has.
func (b *builder) parameters(op api.Operation) ([]*huma.Param, error) {
	list := []*huma.Param{{Ref: parameterPrefix + "Tenant"}}
	if op.Changes {
		list = append(list, &huma.Param{Ref: parameterPrefix + "ActingAs"})
	}
	group, _, _ := strings.Cut(op.Name, ".")
	for _, n := range op.Params {
		key := group + "." + n
		p, ok := params[key]
		if !ok {
			p, ok = params[n]
		}
		if !ok {
			return nil, fmt.Errorf("the parameter %s of %s is not described", n, op.Name)
		}
		in := &huma.Param{Name: n, In: "query", Description: p.text, Schema: p.schema(), Required: slices.Contains(mandatory, key)}
		if strings.Contains(op.Path, "{"+n+"}") {
			in.In, in.Required = "path", true
		}
		list = append(list, in)
	}
	switch op.Name {
	case api.Execute:
		list = append(list, &huma.Param{Ref: parameterPrefix + "Traceparent"})
	case api.Events:
		list = append(list, &huma.Param{Ref: parameterPrefix + "LastEventID"})
	}
	return list, nil
}

func (p param) schema() *huma.Schema {
	switch {
	case p.set != "":
		return &huma.Schema{Ref: schemaPrefix + p.set}
	case p.number:
		low, high := 1.0, cmp.Or(p.most, 1000)
		return &huma.Schema{Type: huma.TypeInteger, Minimum: &low, Maximum: &high}
	}
	return &huma.Schema{Type: huma.TypeString, Pattern: p.pattern, Enum: p.values}
}

// headers returns the parameters that are sent as headers.
func headers() map[string]*huma.Param {
	length := 256
	return map[string]*huma.Param{
		"Tenant": {Name: "Helve-Tenant", In: "header", Schema: &huma.Schema{Type: huma.TypeString, Pattern: name},
			Description: "The tenant; default if absent. With authentication on it may only repeat the credential's."},
		"ActingAs": {Name: "Helve-Acting-As", In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &length},
			Description: "The person whom the sender's page shows as signed in, empty if the credential names nobody. Another one than the " +
				"credential's is 409, and nothing is done."},
		"Traceparent": {Name: "traceparent", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "W3C trace context, of the trace_id in the body where there is one."},
		"LastEventID": {Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &length},
			Description: "Go on after the event with this id."},
	}
}
