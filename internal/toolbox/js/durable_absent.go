package js

import (
	"regexp"
	"strconv"
)

// position formats a place in the code of a program, as [place] does.
func position(line, column int) string {
	return "line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column)
}

// instead returns what to use in place of a name that the code of a program expected, after
// the description of the error that it threw.
func instead(thrown, head string) string {
	m := undefinedName.FindStringSubmatch(thrown)
	if m == nil {
		return ""
	}
	if why := absentFrom(head, m[1]); why != "" {
		return "; " + why
	}
	return ""
}

var undefinedName = regexp.MustCompile(`^ReferenceError: ([A-Za-z_$][\w$]*) is not defined$`)

const (
	noTimers  = "a program has no timers; use await program.sleep(\"90s\")"
	noNetwork = "a program reaches the network and files through tools only, as in tools.NAME({…})"
	noModules = "a program has no modules; what it cannot compute itself is done by tools, as in tools.NAME({…})"
)

// absentFromPrograms maps names that programs do not have to what to use instead.
var absentFromPrograms = map[string]string{
	"setTimeout": noTimers, "clearTimeout": noTimers, "setInterval": noTimers, "clearInterval": noTimers, "setImmediate": noTimers,
	"fetch": noNetwork, "XMLHttpRequest": noNetwork, "axios": noNetwork, "fs": noNetwork, "Headers": noNetwork, "Request": noNetwork,
	"Response": noNetwork, "WebSocket": noNetwork, "Deno": noNetwork, "Bun": noNetwork, "localStorage": noNetwork,
	"require": noModules, "module": noModules, "exports": noModules, "lib": noModules, "Buffer": "use TextEncoder, atob and btoa",
	"utils":           "a program has no utils; use JavaScript itself, or tools, as in tools.NAME({…})",
	"_env":            "a program sees no environment; its tools have their own settings",
	"process":         "a program sees no process and no environment",
	"performance":     "a program sees no clock but program.now(), the time of the last outcome",
	"_time":           "use program.now() and program.today()",
	"context":         "use program.id, program.now() and program.today()",
	"queueMicrotask":  "use promises",
	"Intl":            "use toFixed, and dates in ISO format",
	"structuredClone": "use JSON.parse(JSON.stringify(x))",
	"window":          "this is no browser",
	"document":        "this is no browser",
	"alert":           "use program.log, or program.ask",
	"prompt":          "use await program.ask(question)",
	"confirm":         "use await program.ask(question, {type: \"boolean\"})",
}

// absentFrom returns what to use in place of a name, or nothing if it is not known to be
// absent.
func absentFrom(head, name string) string {
	switch {
	case head == programHead && (name == "args" || name == "params"):
		return "what the program was given is in input"
	case head == durableHead && (name == "input" || name == "params"):
		return "the arguments are in args"
	}
	return absentFromPrograms[name]
}
