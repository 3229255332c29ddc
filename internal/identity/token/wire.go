package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// wire is the signed content, with PASETO's registered names where they exist.
type wire struct {
	ID          string       `json:"jti"`
	Tenant      string       `json:"tenant"`
	User        string       `json:"sub"`
	TraceID     string       `json:"trace_id"`
	Tools       []string     `json:"tools"`
	Scopes      *tool.Scopes `json:"scopes,omitempty"`
	ArgsHash    string       `json:"args_hash,omitempty"`
	CallID      string       `json:"call_id,omitempty"`
	Permissions []string     `json:"permissions,omitempty"`
	Program     string       `json:"program,omitempty"`
	ProgramRun  string       `json:"program_run,omitempty"`
	Binding     string       `json:"binding,omitempty"`
	Reusable    bool         `json:"reusable,omitempty"`
	IssuedAt    time.Time    `json:"iat"`
	Expires     time.Time    `json:"exp"`
	By          string       `json:"by,omitempty"`
	Approver    bool         `json:"approver,omitempty"`
}

func toWire(c Claims) wire {
	var of protocol.ProgramRun
	if c.Program != nil {
		of = *c.Program
	}
	return wire{
		Program: of.CallID, ProgramRun: of.Run,
		ID: c.ID, Tenant: c.Tenant, User: c.User, TraceID: c.TraceID, Tools: c.Tools, Scopes: c.Scopes,
		ArgsHash: c.ArgsHash, CallID: c.CallID, Binding: c.Binding, Permissions: c.Permissions, Reusable: c.Reusable,
		IssuedAt: c.IssuedAt.UTC(), Expires: c.Expires.UTC(), By: c.By, Approver: c.Approver,
	}
}

func (w wire) claims(keyID string) Claims {
	var of *protocol.ProgramRun
	if w.Program != "" {
		of = &protocol.ProgramRun{CallID: w.Program, Run: w.ProgramRun}
	}
	return Claims{
		Program: of,
		ID:      w.ID, KeyID: keyID, Tenant: w.Tenant, User: w.User, TraceID: w.TraceID, Tools: w.Tools, Scopes: w.Scopes,
		ArgsHash: w.ArgsHash, CallID: w.CallID, Binding: w.Binding, Permissions: w.Permissions, Reusable: w.Reusable,
		IssuedAt: w.IssuedAt, Expires: w.Expires, By: w.By, Approver: w.Approver,
	}
}

// decode parses one JSON value. An unknown field may be a restriction added by a later
// version, so it is an error and not ignored.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one value")
	}
	return nil
}
