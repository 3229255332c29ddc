package openapi

import "github.com/danielgtaylor/huma/v2"

const about = `Helve runs the tool calls of AI agents on a fleet of workers and answers each with exactly one result.

Requests that fail as a whole are RFC 9457 problems with an error_type; a call that fails is an ordinary answer with the error_type of that call. ` +
	`Every reader ignores fields that it does not know, and null in a request is the same as absent.`

var tags = []*huma.Tag{
	{Name: "calls", Description: "Running tools, and what came of it."},
	{Name: "tools", Description: "What can be called."},
	{Name: "groups", Description: "What is switched on and off together."},
	{Name: "events", Description: "What happens, as it happens."},
	{Name: "consent", Description: "What people are asked before a call may run."},
	{Name: "tokens", Description: "Approvals ahead of time."},
	{Name: "grants", Description: "Decisions that are remembered."},
	{Name: "agents", Description: "Which tools an agent may use."},
	{Name: "audit", Description: "What happened, sealed."},
	{Name: "remote", Description: "Tools of processes outside."},
	{Name: "upstream", Description: "Tools of MCP servers, and which definitions of them were accepted."},
}

// schemaTexts say what each schema is.
var schemaTexts = map[string]string{
	"AcceptRequest":     "Which definition is accepted.",
	"UpstreamList":      "Tools of MCP servers, by name.",
	"UpstreamTool":      "A tool of an MCP server, as an operator is told of it.",
	"Agent":             "The record of an agent: what it may use.",
	"AgentList":         "Records, by name.",
	"AgentRules":        "What an agent may use. tools and groups add to each other, deny takes away; a name may end in *, which stands for any rest.",
	"AuditDecision":     "What the gate said, and why.",
	"AuditPage":         "Records, oldest first.",
	"AuditProblem":      "One thing that is wrong with a trail.",
	"AuditRecord":       "One entry of the trail. It holds no arguments and no secret.",
	"AuditReport":       "Whether a trail is what was sealed.",
	"AuditResult":       "How a call ended.",
	"Call":              "One call. What is wrong with it fails it alone.",
	"Consent":           "What a person is asked.",
	"ConsentCall":       "The call that waits; the first of them where several share the question.",
	"ConsentList":       "A page of the inbox.",
	"Context":           "For whom calls run. With authentication on it may only narrow what the credential says.",
	"DecisionRequest":   "A person's answer.",
	"Empty":             "Nothing to say.",
	"Event":             "One step of a call.",
	"ExecuteAnswer":     "What came of calls.",
	"ExecuteCalls":      "Calls that are named.",
	"ExecuteMessage":    "A model's message that holds calls.",
	"ExportPage":        "Lines of an export.",
	"Grant":             "A decision that is remembered: a permission or a tool that a person allows, or with deny refuses, without being asked.",
	"GrantList":         "Grants.",
	"Group":             "Tools that are switched on and off together.",
	"GroupList":         "Groups, by name.",
	"GroupStats":        "What all groups come to.",
	"LoadError":         "Something in a tools directory that could not be loaded.",
	"MintRequest":       "The plan that a person approves.",
	"MintedToken":       "A confirm token.",
	"Overloaded":        "A problem with the results of the calls that were refused, where the request was looked at.",
	"Problem":           "Why a request failed as a whole, as RFC 9457 writes it.",
	"ProviderTools":     "Tools as a model provider writes them.",
	"RegisterRequest":   "A process that runs tools. Sent again every third of ttl_ms.",
	"Registered":        "What is offered from now on.",
	"Result":            "A call: its outcome, or where it stands.",
	"ResultRef":         "Where a value lies that did not fit the answer: in the object bucket HELVE_RESULTS. A result is behind the call's /result too.",
	"Scopes":            "What of the world is within reach.",
	"SpeakerContext":    "Who sends the request.",
	"Tool":              "A tool's definition.",
	"ToolContexts":      "The calls that a tool is bound to; an empty list is any.",
	"ToolLimit":         "The parameter that bounds a list, and its bounds.",
	"ToolList":          "Definitions.",
	"UnregisterRequest": "Which process leaves.",
	"Unregistered":      "Whether it was there.",
	"Verdict":           "The one end of a consent.",
}
