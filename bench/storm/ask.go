package storm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// call is one call as callers send it.
type call struct {
	ID   string          `json:"call_id,omitempty"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"arguments"`
}

// answer is the answer to one request about a call.
type answer struct {
	state   state
	callID  string
	outcome string // "success" or the error type, of a completed call
	element string // of a completed call, byte for byte
	door    bool   // no worker has ended the call
}

// state is the state of a call in an answer.
type state uint8

const (
	silent  state = iota // there was no answer, or none about the call
	absent               // the call does not exist
	refused              // the call was not accepted
	pending
	done
)

const (
	// askTimeout limits a request, askWait is the time that it waits for the end of its
	// call.
	askTimeout = 15 * time.Second
	askWait    = 5 * time.Second
)

// asker sends requests to dispatchers.
type asker struct{ http http.Client }

func newAsker(callers int) *asker {
	return &asker{http.Client{Timeout: askTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: callers}}}
}

func (a *asker) execute(ctx context.Context, door string, c call) answer {
	body, err := json.Marshal(map[string]any{"calls": []call{c}, "wait_ms": askWait.Milliseconds()})
	if err != nil {
		return answer{}
	}
	status, text := a.send(ctx, http.MethodPost, door+"/v1/execute", body)
	var got struct {
		Results []json.RawMessage `json:"results"`
	}
	if json.Unmarshal(text, &got) != nil || len(got.Results) != 1 {
		return answer{}
	}
	told := judge(got.Results[0])
	if told.door && (told.outcome == "overloaded" || told.outcome == "tool_not_available") {
		return answer{state: refused} // the call was not accepted, so nothing is stored
	}
	if status != http.StatusOK {
		return answer{}
	}
	return told
}

func (a *asker) get(ctx context.Context, door, callID string) answer {
	status, text := a.send(ctx, http.MethodGet, door+"/v1/calls/"+callID, nil)
	return judgeStatus(status, text)
}

func (a *asker) cancel(ctx context.Context, door, callID string) answer {
	status, text := a.send(ctx, http.MethodPost, door+"/v1/calls/"+callID+"/cancel", nil)
	return judgeStatus(status, text)
}

func judgeStatus(status int, text []byte) answer {
	switch status {
	case http.StatusOK:
		return judge(text)
	case http.StatusNotFound:
		return answer{state: absent}
	}
	return answer{}
}

// judge parses a result element.
func judge(element []byte) answer {
	var e struct {
		CallID    string `json:"call_id"`
		Status    string `json:"status"`
		ErrorType string `json:"error_type"`
		Worker    string `json:"worker"`
	}
	if json.Unmarshal(element, &e) != nil {
		return answer{}
	}
	switch e.Status {
	case "pending":
		return answer{state: pending, callID: e.CallID}
	case "success":
		e.ErrorType = e.Status
	case "error":
	default:
		return answer{}
	}
	return answer{done, e.CallID, e.ErrorType, strings.TrimSpace(string(element)), e.Worker == ""}
}

func (a *asker) send(ctx context.Context, method, url string, body []byte) (status int, text []byte) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := a.http.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	if text, err = io.ReadAll(res.Body); err != nil {
		return 0, nil
	}
	return res.StatusCode, text
}
