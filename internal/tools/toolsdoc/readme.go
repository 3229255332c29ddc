package toolsdoc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// meanings explain the kinds of errors, to whoever writes a front end.
var meanings = map[tool.Kind]string{
	tool.ToolNotFound:         "There is no tool of that name. The message names those that are called alike.",
	tool.ToolNotAvailable:     "The tool exists, but it is switched off, is not among those the agent may use, or no worker runs it now.",
	tool.ValidationError:      "The arguments do not fit; the message says which and how. Call again with better ones.",
	tool.ConfirmationRequired: "A person must agree, and the call names nobody who could be asked: send a confirm token, or a user.",
	tool.PermissionDenied:     "A person said no, the confirm token does not hold for this call, or the guard refuses the host.",
	tool.PolicyDenied:         "The operator's policy forbids the call. Calling again changes nothing.",
	tool.ConsentExpired:       "The person who was asked did not answer in time.",
	tool.Timeout:              "The call took longer than it may.",
	tool.Cancelled:            "The call was cancelled, and it certainly did nothing or was stopped in a safe place.",
	tool.RateLimited:          "There were too many calls; wait before the next one.",
	tool.Overloaded:           "No worker is free; the same call may be sent again soon.",
	tool.OutcomeUnknown:       "The call was interrupted after it began. What it should change may have changed; look before calling again.",
	tool.Internal:             "Helve itself failed. The operator finds the cause in the log.",

	tool.ExecutionError: "The tool ran and failed; the message says at what.",
	tool.PathNotAllowed: "The path leads out of the workspace, or to what the call may not reach.",
	tool.FileNotFound:   "There is no file or directory of that name.",
	tool.FileTooLarge:   "The file is larger than the tool takes; the message says how large it may be.",
	tool.NetworkError:   "The other side could not be reached or did not answer properly.",
	tool.NotConfigured:  "A service, a credential or a program is missing; the message says which and how to set it.",
	tool.Unsupported:    "The tool cannot do that with this input, or on this machine.",
}

// readme lists the categories and explains the errors.
func readme(categories map[string][]*tool.Definition) string {
	var w strings.Builder
	total := 0
	for _, tools := range categories {
		total += len(tools)
	}
	fmt.Fprintf(&w, "%s# Tools\n\nHelve has %d built-in tools in %d categories. `helve tool NAME` prints the section of one.\n", generated, total, len(categories))
	w.WriteString("Unless a page says otherwise, times are UTC, paths are relative to the workspace of the person who calls, and\nparameters that a tool does not know are ignored and named in the metadata of the result.\n\n")
	w.WriteString("Every tool has an example, whose answer is that of a real call in a workspace with a few files: the `result` of a\ncall that succeeded, or `error_type` and `message` where the tool needs what an operator has to set up first. Of a\nlong answer the beginning is shown.\n\n")
	w.WriteString("| Category | Tools | Names |\n|---|---|---|\n")
	for _, category := range slices.Sorted(maps.Keys(categories)) {
		page := fileName(category)
		var names []string
		for _, d := range categories[category] {
			names = append(names, fmt.Sprintf("[%s](%s#%s)", escape(d.Name), page, anchor(d.Name)))
		}
		row(&w, fmt.Sprintf("[%s](%s)", escape(category), page), fmt.Sprint(len(names)), strings.Join(names, ", "))
	}
	w.WriteString("\n## Errors of any call\n\nA failed call has an `error_type`, for programs, and a `message`, for the model. These types can end any call,\nwhatever its tool:\n\n")
	universal := tool.Universal()
	writeKinds(&w, universal)
	w.WriteString("\n## Errors of some tools\n\nThe section of a tool names those of these types that it can end in:\n\n")
	writeKinds(&w, slices.DeleteFunc(tool.Kinds(), func(k tool.Kind) bool { return slices.Contains(universal, k) }))
	return w.String()
}

func writeKinds(w *strings.Builder, kinds []tool.Kind) {
	w.WriteString("| Type | Meaning |\n|---|---|\n")
	for _, kind := range kinds {
		row(w, code(string(kind)), escape(meanings[kind]))
	}
}
