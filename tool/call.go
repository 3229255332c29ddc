package tool

import "time"

// Call is one call as a tool sees it: who asked, under which ids, and the
// ports the tool's Spec asked for. Ports that were not asked for are nil.
type Call struct {
	// ID is the call_id: the idempotency key, unique in its tenant.
	ID string
	// TraceID is the W3C trace id, 32 lower-case hex digits.
	TraceID string
	// Tool is the tool's name, also where the call came by an alias.
	Tool string

	// Tenant is never empty; User, Agent and Conversation may be.
	Tenant       string
	User         string
	Agent        string
	Conversation string

	// Attempt counts deliveries of the call, from 1.
	Attempt int
	// Depth counts the calls around this one, which tools made; 0 if none did.
	Depth int
	// Deadline is when the call must have answered.
	Deadline time.Time

	// About is set by a Spec's Check: what the call is about beyond its
	// arguments, such as a version. A person's yes holds for exactly that.
	About string

	Files       Files
	HTTP        HTTP
	Tools       Tools
	Secrets     Secrets
	CustomTools CustomTools
	Programs    Programs
	Documents   Documents
	Containers  Containers
	Desktop     Desktop
	Catalogue   Catalogue
	Clock       Clock
	Events      Events
}

// ClearPorts takes every port but Clock and Events from the call.
func (c *Call) ClearPorts() {
	c.Files, c.HTTP, c.Tools, c.Secrets, c.CustomTools = nil, nil, nil, nil, nil
	c.Programs, c.Documents, c.Containers, c.Desktop, c.Catalogue = nil, nil, nil, nil, nil
}

// Progress tells whoever follows the call how far it is. Data is any JSON
// value; delivery is not promised.
func (c *Call) Progress(data any) { c.emit("progress", data) }

// Log sends one line of text to whoever follows the call.
func (c *Call) Log(line string) { c.emit("log", map[string]string{"message": line}) }

// Partial sends a part of the result ahead of the whole.
func (c *Call) Partial(data any) { c.emit("partial", data) }

func (c *Call) emit(kind string, data any) {
	if c.Events != nil {
		c.Events.Emit(kind, data)
	}
}
