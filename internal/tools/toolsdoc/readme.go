package toolsdoc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// meanings explains the kinds of errors to authors of front ends.
var meanings = map[tool.Kind]string{
	tool.ToolNotFound:         "There is no tool of that name. The message lists tools with similar names.",
	tool.NotFound:             "The item that the call names does not exist; the message names the tool that lists such items.",
	tool.ToolNotAvailable:     "The tool exists, but it is disabled, the agent may not use it, or no live worker has it.",
	tool.ValidationError:      "An argument is invalid; the message names it and the reason. Correct it and call again.",
	tool.ConfirmationRequired: "A person must approve the call, but the call names no user: send a confirm token, or a user.",
	tool.PermissionDenied:     "A person denied the call, the confirm token does not match it, or the host is not allowed.",
	tool.PolicyDenied:         "The operator's policy forbids the call. Calling again changes nothing.",
	tool.ConsentExpired:       "The person who was asked did not answer in time.",
	tool.Timeout:              "The call exceeded its time limit.",
	tool.Cancelled:            "The call was cancelled, and it certainly had no effect or was stopped at a safe point.",
	tool.RateLimited:          "There were too many calls; wait before the next one.",
	tool.Overloaded:           "No worker is free; send the same call again later.",
	tool.OutcomeUnknown:       "The call was interrupted after it began, and may have had its effect. Check before calling again.",
	tool.Internal:             "Helve itself failed. The operator finds the cause in the log.",

	tool.ExecutionError: "The tool ran and failed; the message gives the reason.",
	tool.PathNotAllowed: "The path leads out of the workspace, or to a place that the call may not reach.",
	tool.FileNotFound:   "There is no file or directory of that name.",
	tool.FileTooLarge:   "The file is larger than the tool accepts; the message gives the limit.",
	tool.NetworkError:   "The server could not be reached or did not answer correctly.",
	tool.NotConfigured:  "A service, a credential or a program is missing; the message names it and how to set it up.",
	tool.Unsupported:    "The tool cannot do that with this input, or on this machine.",
}

// readme lists the categories and explains the errors.
func readme(categories map[string][]*tool.Definition) string {
	var w strings.Builder
	total := 0
	for _, tools := range categories {
		total += len(tools)
	}
	fmt.Fprintf(&w, "%s# Tools\n\nHelve has %d built-in tools in %d categories. `helve tool NAME` prints the section of one.\n",
		generated, total, len(categories))
	w.WriteString("Unless a page says otherwise, times are UTC, paths are relative to the workspace of the calling person, and\nunknown " +
		"parameters are ignored and listed in the metadata of the result.\n\n")
	w.WriteString("Every tool has an example with the answer of a real call in a workspace with a few files: " +
		"the `result` of a\nsuccessful call, or `error_type` and `message` if an operator must set up something first. Long answers are cut.\n\n")
	w.WriteString("| Category | Tools | Names |\n|---|---|---|\n")
	for _, category := range slices.Sorted(maps.Keys(categories)) {
		page := fileName(category)
		var names []string
		for _, d := range categories[category] {
			names = append(names, fmt.Sprintf("[%s](%s#%s)", escape(d.Name), page, anchor(d.Name)))
		}
		row(&w, fmt.Sprintf("[%s](%s)", escape(category), page), fmt.Sprint(len(names)), strings.Join(names, ", "))
	}
	w.WriteString("\n## Errors of any call\n\nA failed call has an `error_type`, for programs, and a `message`, for the model. " +
		"These types can end any call,\nwhatever its tool:\n\n")
	universal := tool.Universal()
	writeKinds(&w, universal)
	w.WriteString("\n## Errors of some tools\n\nThe section of a tool lists those of these types that it can return:\n\n")
	writeKinds(&w, slices.DeleteFunc(tool.Kinds(), func(k tool.Kind) bool { return slices.Contains(universal, k) }))
	return w.String()
}

func writeKinds(w *strings.Builder, kinds []tool.Kind) {
	w.WriteString("| Type | Meaning |\n|---|---|\n")
	for _, kind := range kinds {
		row(w, code(string(kind)), escape(meanings[kind]))
	}
}
