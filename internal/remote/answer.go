package remote

import (
	"errors"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// maxAnswer is the maximum size of an answer, in bytes.
const maxAnswer = 4 << 20

// readAnswer converts an answer to the tool's result. Anything but a valid answer is an
// execution_error.
func readAnswer(name string, data []byte) (tool.Result, error) {
	if len(data) > maxAnswer {
		return tool.Result{}, tool.Fail(tool.ExecutionError, "the process that runs '%s' answered with %d bytes, at most %d are allowed; ask for less", name, len(data), maxAnswer)
	}
	a, err := parseAnswer(data)
	if err != nil {
		return tool.Result{}, tool.Fail(tool.ExecutionError, "the process that runs '%s' did not answer as it must: %s", name, err).
			Because(fmt.Errorf("%.200q", data))
	}
	if a.Status == "error" {
		return tool.Result{}, tool.Fail(a.ErrorType, "%s", a.Message)
	}
	return tool.Result{Value: a.Result, Text: a.Text, Notes: a.Notes}, nil
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
