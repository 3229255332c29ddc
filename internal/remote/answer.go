package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/tool"
)

// Question is a call as a process is asked it. There is no more in it: what else the
// platform knows, tokens and secrets among it, is none of the process's business.
type Question struct {
	CallID    string          `json:"call_id"`
	TraceID   string          `json:"trace_id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Context   asker           `json:"context"`
	Attempt   int             `json:"attempt"`
	Deadline  time.Time       `json:"deadline"`
}

type asker struct {
	User         string `json:"user,omitempty"`
	Agent        string `json:"agent,omitempty"`
	Conversation string `json:"conversation,omitempty"`
}

// maxAnswer is how large an answer may be, in bytes, text and all.
const maxAnswer = 4 << 20

// Answer is what a process says.
type Answer struct {
	Status    string         `json:"status"`
	Result    jsontext.Value `json:"result"`
	Text      string         `json:"text"`
	ErrorType tool.Kind      `json:"error_type"`
	Message   string         `json:"message"`
}

// readAnswer makes of an answer what the tool returned. Anything that is not exactly an
// answer is an execution_error.
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
	return tool.Result{Value: json.RawMessage(a.Result), Text: a.Text}, nil
}

func parseAnswer(data []byte) (*Answer, error) {
	a := new(Answer)
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
