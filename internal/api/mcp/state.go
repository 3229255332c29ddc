package mcp

import (
	"encoding/json"
	"time"
)

// State signs what a client is to bring back, and tells whether what came back is
// that. All replicas must read what one of them signed.
type State interface {
	Seal(body []byte) (string, error)
	// Open returns the body of what was sealed, and an error for anything else.
	Open(text string) ([]byte, error)
}

// StatePurpose is what that is signed for, so that it is nothing else that the same
// key signs.
const StatePurpose = "helve mcp state v1"

// question is what a person was asked, as the client carries it: the call that waits,
// and for whom. It is signed, not secret.
type question struct {
	CallID    string    `json:"call_id"`
	TraceID   string    `json:"trace_id"`
	ConsentID string    `json:"consent_id"`
	Tool      string    `json:"tool"`
	Tenant    string    `json:"tenant,omitempty"`
	User      string    `json:"user,omitempty"`
	Agent     string    `json:"agent,omitempty"`
	Expires   time.Time `json:"expires"`
}

// stateLife is for how long a client may bring a question back after it has run out:
// then it is told so by how the call ended.
const stateLife = time.Hour

func (s *Server) sealQuestion(c *calling, call Call, consentID string, expires time.Time) (string, error) {
	body, err := json.Marshal(question{
		CallID: call.ID, TraceID: call.TraceID, ConsentID: consentID, Tool: call.Tool,
		Tenant: c.by.By.Tenant, User: c.by.user(), Agent: c.by.agent(), Expires: expires.Add(stateLife),
	})
	if err != nil {
		return "", err
	}
	return s.State.Seal(body)
}

// openQuestion returns what was asked of this caller about this tool.
func (s *Server) openQuestion(c *calling, text string) (question, error) {
	var q question
	body, err := s.State.Open(text)
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	switch {
	case err != nil:
		return q, invalid("requestState is not one of this server, or was changed; send it as it was given, or call again without it")
	case time.Now().After(q.Expires):
		return q, invalid("requestState has expired; call again without it")
	case q.Tool != c.tool || q.Tenant != c.by.By.Tenant || q.User != c.by.user() || q.Agent != c.by.agent():
		return q, invalid("requestState belongs to another call; send it with the call it was given for")
	}
	return q, nil
}
