package mcp

import (
	"bytes"
	"encoding/json"
)

// Request returns the call as the body of execute. The arguments are unchanged.
func (c Call) Request(by Caller) []byte {
	type call struct {
		CallID    string          `json:"call_id"`
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
		Priority  string          `json:"priority,omitempty"`
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
	}{by.speaker(), c.TraceID, [1]call{{c.ID, c.Tool, c.Arguments, c.Priority}}, c.Wait.Milliseconds(), consent})
}

// Request returns the answer as the body of consent.decide. It comes from the person,
// so the agent that made the call is not named.
func (a Answer) Request(by Caller) []byte {
	decision := "deny"
	if a.Grant {
		decision = "grant"
	}
	return encode(struct {
		By       string          `json:"by,omitempty"`
		Decision string          `json:"decision"`
		Remember string          `json:"remember"`
		Answer   json.RawMessage `json:"answer,omitempty"`
	}{by.User, decision, a.Remember, a.Answer})
}

type speaker struct {
	User         string `json:"user,omitempty"`
	Agent        string `json:"agent,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Toolset      string `json:"toolset,omitempty"`
	Timezone     string `json:"timezone,omitempty"`
}

func (c Caller) speaker() speaker {
	return speaker{c.User, c.Agent, c.Conversation, c.Toolset, c.Timezone}
}

// encode encodes a value that is always encodable.
func encode(v any) []byte {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("mcp: " + err.Error())
	}
	return w.Bytes()
}
