package tool

import (
	"encoding/json"
	"fmt"
	"time"
)

// Call is one call as a tool sees it: its caller, its IDs, and the ports that the
// tool's Spec requests. All other ports are nil.
type Call struct {
	// ID is the call_id: the idempotency key, unique in its tenant.
	ID string
	// TraceID is the W3C trace id, 32 lower-case hex digits.
	TraceID string
	// Tool is the tool's name, even if the caller used an alias.
	Tool string

	// Tenant is never empty; User, Agent and Conversation may be.
	Tenant       string
	User         string
	Agent        string
	Conversation string
	// Toolset names the tool set that the request was bound to, such as code; it may be
	// empty.
	Toolset string

	// Attempt counts deliveries of the call, from 1.
	Attempt int
	// Depth is the number of enclosing calls: 0 unless a tool made this call.
	Depth int
	// Deadline is the time by which the call must return.
	Deadline time.Time

	// About is set by a Spec's Check: what the call refers to beyond its arguments,
	// such as a version. A person's approval covers exactly that.
	About string
	// Shown is set by a Spec's Check: a JSON object that the consent request shows
	// beside the arguments, unchanged.
	Shown json.RawMessage

	// Risk is set by a Spec's Check if these arguments have a lower risk than the
	// definition, which shows the worst case. It is empty otherwise.
	Risk Risk

	// Settings are the defaults that the operator has set for tools.
	Settings Settings

	Files       Files
	HTTP        HTTP
	Dialer      Dialer
	Tools       Tools
	Secrets     Secrets
	CustomTools CustomTools
	Programs    Programs
	Containers  Containers
	Desktop     Desktop
	Catalogue   Catalogue
	Fonts       Fonts
	Store       Store
	Cache       Cache
	Schedules   Schedules
	Durable     Durable
	Clock       Clock
	Events      Events

	notes []string
	usage []Usage
}

// Settings are the operator's settings that tools read.
type Settings struct {
	// Currency is the ISO 4217 code of amounts without one; empty if none is set.
	Currency string
	// Search lists the services that search_web asks, in their order.
	Search []string
	// Robots reports whether pages are fetched only as the robots.txt of their site allows.
	Robots bool
}

// Note adds a sentence for the model to read beside the result, such as that the result
// was cut and how to get the rest. Only the goroutine that runs the tool may call it.
// The notes of a failed call are dropped.
func (c *Call) Note(format string, args ...any) { //nolint:goprintffuncname // as Fail: it is read more often than it has arguments
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// ClearPorts removes every port except Clock and Events from the call.
func (c *Call) ClearPorts() {
	c.Files, c.HTTP, c.Dialer, c.Tools, c.Secrets, c.CustomTools = nil, nil, nil, nil, nil, nil
	c.Programs, c.Containers, c.Desktop, c.Catalogue, c.Fonts = nil, nil, nil, nil, nil
	c.Store, c.Cache, c.Schedules, c.Durable = nil, nil, nil, nil
}

// Progress sends a progress event to subscribers of the call. Data is any JSON value;
// delivery is not guaranteed.
func (c *Call) Progress(data any) { c.emit("progress", data) }

// Log sends one line of text to subscribers of the call.
func (c *Call) Log(line string) { c.emit("log", map[string]string{"message": line}) }

// Partial sends a part of the result before the call returns.
func (c *Call) Partial(data any) { c.emit("partial", data) }

func (c *Call) emit(kind string, data any) {
	if c.Events != nil {
		c.Events.Emit(kind, data)
	}
}
