package mcp

import (
	"bytes"
	"encoding/json"
)

// Request is the call as the body of execute. The arguments are as they came.
func (c Call) Request(by Caller) []byte {
	type call struct {
		CallID    string          `json:"call_id"`
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	consent := "return"
	if c.ConsentWait {
		consent = "wait"
	}
	return encode(struct {
		Context speaker `json:"context"`
		TraceID string  `json:"trace_id"`
		Calls   [1]call `json:"calls"`
		WaitMS  int64   `json:"wait_ms"`
		Consent string  `json:"consent"`
	}{by.speaker(), c.TraceID, [1]call{{c.ID, c.Tool, c.Arguments}}, c.Wait.Milliseconds(), consent})
}

// Request is the answer as the body of consent.decide. It comes from the person, so
// the agent that asked is not named.
func (a Answer) Request(by Caller) []byte {
	decision := "deny"
	if a.Grant {
		decision = "grant"
	}
	return encode(struct {
		By       string `json:"by,omitempty"`
		Decision string `json:"decision"`
		Remember string `json:"remember"`
	}{by.User, decision, a.Remember})
}

type speaker struct {
	User         string `json:"user,omitempty"`
	Agent        string `json:"agent,omitempty"`
	Conversation string `json:"conversation,omitempty"`
}

func (c Caller) speaker() speaker { return speaker{c.User, c.Agent, c.Conversation} }

// encode writes what can only be written.
func encode(v any) []byte {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("mcp: " + err.Error())
	}
	return w.Bytes()
}
