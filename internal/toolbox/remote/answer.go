package remote

import (
	"errors"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const (
	maxAnswer  = 4 << 20 // bytes
	maxMessage = 4 << 10 // bytes of an error's
	maxNotes   = 5       // of a result; see docs/protocol.md
	outside    = "a process that is no part of Helve"
)

// readAnswer converts an answer to the tool's result. Anything but a valid answer is an
// execution_error.
func readAnswer(def *tool.Definition, data []byte) (tool.Result, error) {
	name, advice := def.Name, "ask for less"
	if def.Mutates && !def.Idempotent {
		advice = "it ran, so check what it did before you call it again"
	}
	if len(data) > maxAnswer {
		return tool.Result{}, tool.Fail(tool.ExecutionError, "the process that runs '%s' answered with %d bytes, at most %d are allowed; %s",
			name, len(data), maxAnswer, advice)
	}
	a, err := parseAnswer(data)
	if err != nil {
		said := err.Error()
		if def.Mutates && !def.Idempotent {
			said += "; " + advice
		}
		return tool.Result{}, tool.Fail(tool.ExecutionError, "the process that runs '%s' did not answer as it must: %s", name, said).
			Because(fmt.Errorf("%.200q", data))
	}
	if a.Status == "error" {
		return tool.Result{}, tool.Fail(a.ErrorType, "%s", foreign.Marked(a.Message, outside, maxMessage))
	}
	notes := append([]string{foreign.Note("The answer", outside)}, a.Notes[:min(len(a.Notes), maxNotes-1)]...)
	return tool.Result{Value: a.Result, Text: a.Text, Notes: notes}, nil
}

func parseAnswer(data []byte) (*protocol.RemoteAnswer, error) {
	a := new(protocol.RemoteAnswer)
	if err := jsonv2.Unmarshal(data, a); err != nil {
		e, ok := errors.AsType[*jsonv2.SemanticError](err)
		switch {
		case !ok:
			return nil, errors.New("it is not valid JSON")
		case e.JSONPointer == "":
			return nil, errors.New("it is not a JSON object")
		}
		return nil, fmt.Errorf("its %.60s is of the wrong type", e.JSONPointer.LastToken())
	}
	switch {
	case a.Status == "success" && a.Result == nil:
		return nil, errors.New("there is no result")
	case a.Status == "success":
		return a, nil
	case a.Status != "error":
		return nil, fmt.Errorf("its status is %.20q", a.Status)
	case !slices.Contains(tool.Kinds(), a.ErrorType):
		return nil, fmt.Errorf("its error_type is %.40q", a.ErrorType)
	}
	return a, nil
}
