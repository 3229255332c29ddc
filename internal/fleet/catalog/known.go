package catalog

// KnownGroup is the static information about a group.
type KnownGroup struct {
	Title, Description string
	// Default is set if callers have the group unless it is switched off. The other
	// groups need something to be installed, or reach outward: nobody has them until the
	// operator switches them on, and an agent has them if its record names them.
	Default bool
	// DependsOn lists groups that it requires: it is off if one of them is switched
	// off.
	DependsOn []string
}

var files = []string{"filesystem"}

// known are the groups of the built-in tools. Any other group, such as that of an
// operator's scripts, is on by default.
var known = map[string]KnownGroup{
	"core":           {"Essentials", "The time, calculating, unique ids.", true, nil},
	"filesystem":     {"Files", "Reading, writing, finding and moving files of the workspace.", true, nil},
	"documents":      {"Documents", "Reading documents, and what is in archives.", true, files},
	"tasks":          {"Tasks", "A list of things to do, with due dates and priorities.", true, nil},
	"bookmarks":      {"Bookmarks", "Addresses of pages worth keeping.", true, nil},
	"notes":          {"Notes", "Texts to keep, with tags.", true, nil},
	"calendar":       {"Calendar", "Events and appointments.", true, nil},
	"contacts":       {"Contacts", "People and how to reach them.", true, nil},
	"customData":     {"Custom data", "Tables that a person makes up.", true, nil},
	"memory":         {"Memory", "What an agent is to remember of a person.", true, nil},
	"goals":          {"Goals", "Aims and the steps towards them.", true, nil},
	"finance":        {"Finance", "Expenses, receipts and sums of them.", true, nil},
	"scheduler":      {"Scheduler", "Calls that happen at a time, once or again and again.", true, nil},
	"customTools":    {"Tools about tools", "Finding tools, and making new ones.", true, nil},
	"programs":       {"Programs", "Code that calls many tools, and waits for people and times.", true, nil},
	"utilities":      {"Utilities", "Text, dates, tables and data.", true, nil},
	"textUtils":      {"Text", "Counting, cutting, wrapping and rewriting text.", true, nil},
	"dateTime":       {"Dates", "Formatting dates and reckoning with them.", true, nil},
	"conversion":     {"Conversion", "Units, currencies, encodings and formats.", true, nil},
	"generation":     {"Generation", "Random numbers, passwords and filler text.", true, nil},
	"extraction":     {"Extraction", "Addresses and numbers out of text.", true, nil},
	"validation":     {"Validation", "Whether an address or a pattern is right.", true, nil},
	"listOps":        {"Lists", "Sorting, removing doubles, making tables.", true, nil},
	"mathStats":      {"Statistics", "Percentages, averages, counts.", true, nil},
	"desktop":        {"Desktop", "Clipboard, notifications, applications of a person's own machine.", true, nil},
	"codeExecution":  {"Code execution", "Running code in containers; needs Docker.", false, nil},
	"webFetch":       {"Web", "Requests to other servers, pages and searches.", false, nil},
	"email":          {"Email", "Sending and reading mail; needs an account.", false, nil},
	"weather":        {"Weather", "The weather, now and in the next days.", false, nil},
	"git":            {"Git", "Repositories in the workspace; needs git.", false, files},
	"image":          {"Images", "Making, changing and describing pictures.", false, files},
	"audio":          {"Audio", "Speech and sound files; needs ffmpeg.", false, files},
	"pdf":            {"PDF", "Reading and writing PDF files.", false, files},
	"translation":    {"Translation", "Translating text; needs a service.", false, nil},
	"vectorSearch":   {"Vector search", "Searching by meaning; needs an embedding service.", false, nil},
	"dataExtraction": {"Data extraction", "Facts, tables and summaries out of text.", false, nil},
	"cliTools":       {"Command line tools", "Programs of the worker's machine.", false, files},
	"codingAgents":   {"Coding agents", "Tasks for programs that write code.", false, files},
	"shell":          {"Shell", "Command lines on the worker's machine.", false, files},
	Diagnostics:      {"Diagnostics", "The operators' own tools for smoke tests; no agent has them unless its record names them.", true, nil},
}

// about returns the information about a group.
func about(group string) KnownGroup {
	if g, ok := known[group]; ok {
		return g
	}
	return KnownGroup{Title: group, Default: true}
}
