package mcp

import (
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/jsonx/schema"
)

// State signs the state that a client must return, and verifies it. Every replica must
// accept what another replica signed.
type State interface {
	Seal(body []byte) (string, error)
	// Open returns the body of what was sealed, and an error for anything else.
	Open(text string) ([]byte, error)
}

// StatePurpose is part of what is signed, so that other signatures of the same key are
// not accepted.
const StatePurpose = "helve mcp state v1"

// question is the state of a question that the client carries: the waiting call and its
// caller. It is signed, not secret.
type question struct {
	CallID    string `json:"call_id"`
	TraceID   string `json:"trace_id"`
	ConsentID string `json:"consent_id"`
	Tool      string `json:"tool"`
	Tenant    string `json:"tenant,omitempty"`
	User      string `json:"user,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Toolset   string `json:"toolset,omitempty"`
	// ArgsHash identifies the arguments that the person was asked about.
	ArgsHash string    `json:"args_hash"`
	Expires  time.Time `json:"expires"`
}

// stateLife is the time for which a client may return an expired question: it then gets
// the outcome of the call.
const stateLife = time.Hour

func (s *Server) sealQuestion(c *calling, call Call, consentID string, expires time.Time) (string, error) {
	hash, err := schema.Hash(call.Arguments)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(question{
		CallID: call.ID, TraceID: call.TraceID, ConsentID: consentID, Tool: call.Tool,
		Tenant: c.by.By.Tenant, User: c.by.user(), Agent: c.by.agent(), Toolset: c.by.Toolset, ArgsHash: hash, Expires: expires.Add(stateLife),
	})
	if err != nil {
		return "", err
	}
	return s.State.Seal(body)
}

// openQuestion returns the question that this caller was asked about this tool.
func (s *Server) openQuestion(c *calling, text string) (question, error) {
	var q question
	body, err := s.State.Open(text)
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	switch {
	case err != nil:
		return q, invalid("requestState is not one of this server, or was changed; send it as it was given, or call again without it")
	case !c.by.honest():
		return q, invalid("the credential is not for the user and agent that Helve-User and Helve-Agent name; leave them out")
	case time.Now().After(q.Expires):
		return q, invalid("requestState has expired; call again without it")
	case q.Tool != c.tool || q.Tenant != c.by.By.Tenant || q.User != c.by.user() || q.Agent != c.by.agent() ||
		q.Toolset != c.by.Toolset:
		return q, invalid("requestState belongs to another call; send it with the call it was given for")
	}
	return q, nil
}

// about reports whether a call has the arguments that the person was asked about.
func (q question) about(call *Call) bool {
	hash, err := schema.Hash(call.Arguments)
	return err == nil && hash == q.ArgsHash
}
