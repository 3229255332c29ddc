package client

import (
	"context"
	"maps"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
)

// The statuses of a [Connection].
const (
	ConnectionPending   = protocol.ConnectionPending
	ConnectionConfirm   = protocol.ConnectionConfirm
	ConnectionConnected = protocol.ConnectionConnected
	ConnectionDenied    = protocol.ConnectionDenied
	ConnectionExpired   = protocol.ConnectionExpired
)

type (
	// ServiceList is the services that tools use, and their entries.
	ServiceList = protocol.ServiceList
	// ServiceSchema describes the entries of a service.
	ServiceSchema = protocol.Service
	// ServiceField describes a field of the entries of a service.
	ServiceField = protocol.ServiceField
	// StoredService is an entry of a service, without its secrets.
	StoredService = protocol.StoredService
	// ServiceSet is the change of an entry.
	ServiceSet = protocol.ServiceSet
	// ServiceTested holds the answer of a service to a test.
	ServiceTested = protocol.ServiceTested
	// ServiceDeleted reports whether the tokens of a deleted account were revoked.
	ServiceDeleted = protocol.ServiceDeleted
	// Connection is an attempt of a person to connect an account.
	Connection = protocol.Connection
	// DeviceCode is a code that the person enters at the provider.
	DeviceCode = protocol.DeviceCode
	// ServicesRotated counts the entries under the current master key.
	ServicesRotated = protocol.ServicesRotated
)

// Services returns the services, one of them if name is not empty, and the entries that the
// caller may see: those of a person if user is not empty.
func (c *Client) Services(ctx context.Context, name, user string) (told ServiceList, err error) {
	op := list("services.list", "/v1/services", given(map[string]string{"user": user}))
	if name != "" {
		op = list("services.get", "/v1/services/"+url.PathEscape(name), given(map[string]string{"user": user}))
		op.fields = given(map[string]string{"user": user, "service": name})
	}
	body, err := c.ask(ctx, op)
	if err != nil {
		return told, err
	}
	return told, decode(body, &told)
}

// SetService sets an entry of a service and returns it without its secrets.
func (c *Client) SetService(ctx context.Context, service, label string, set ServiceSet) (entry StoredService, err error) {
	body, err := json.Marshal(struct {
		Service string `json:"service"`
		Label   string `json:"label"`
		ServiceSet
	}{service, label, set})
	if err != nil {
		return entry, misused("the values cannot be encoded as JSON")
	}
	got, err := c.ask(ctx, operation{name: "services.set", method: http.MethodPut, path: entryPath(service, label), body: body})
	if err != nil {
		return entry, err
	}
	return entry, decode(got, &entry)
}

// DeleteService deletes an entry of a service; with a user, that of a person.
func (c *Client) DeleteService(ctx context.Context, service, label, user string) error {
	_, err := c.ask(ctx, onEntry("services.delete", http.MethodDelete, "", service, label, map[string]string{"user": user}))
	return err
}

// DisconnectAccount deletes the account of a person at a service; its tokens are revoked if
// the provider can do so.
func (c *Client) DisconnectAccount(ctx context.Context, service, user string) (done ServiceDeleted, err error) {
	got, err := c.ask(ctx, onEntry("services.delete", http.MethodDelete, "", service, accountLabel, map[string]string{"user": user}))
	if err != nil {
		return done, err
	}
	return done, decode(got, &done)
}

// accountLabel is the label of each account.
const accountLabel = "default"

// ConnectAccount begins to connect the account of a person at a service: with a code for a
// terminal or, if the provider has none or browser is set, with an address for a browser.
// Only the person may: user is empty, or the credential's own.
func (c *Client) ConnectAccount(ctx context.Context, service, user string, browser bool) (begun Connection, err error) {
	params := map[string]string{"user": user}
	if browser {
		params["browser"] = "true"
	}
	got, err := c.ask(ctx, onEntry("services.connect", http.MethodPost, "/connect", service, accountLabel, params))
	if err != nil {
		return begun, err
	}
	return begun, decode(got, &begun)
}

// ConfirmConnection ends a connection of status [ConnectionConfirm] with the code that the
// browser of the person shows.
func (c *Client) ConfirmConnection(ctx context.Context, service, user, id, code string) (done Connection, err error) {
	params := map[string]string{"user": user, "connection_id": id, "code": code}
	got, err := c.ask(ctx, onEntry("services.connect", http.MethodPost, "/connect", service, accountLabel, params))
	if err != nil {
		return done, err
	}
	return done, decode(got, &done)
}

// Connection returns the status of a connection of a person.
func (c *Client) Connection(ctx context.Context, service, user, id string) (found Connection, err error) {
	params := map[string]string{"user": user, "connection_id": id}
	got, err := c.ask(ctx, onEntry("services.connection", http.MethodGet, "/connect", service, accountLabel, params))
	if err != nil {
		return found, err
	}
	return found, decode(got, &found)
}

// TestService has a worker make a request to a service with an entry, and returns what the
// service answered.
func (c *Client) TestService(ctx context.Context, service, label, user string) (tested ServiceTested, err error) {
	op := onEntry("services.test", http.MethodPost, "/test", service, label, map[string]string{"user": user})
	got, err := c.ask(ctx, op)
	if err != nil {
		return tested, err
	}
	return tested, decode(got, &tested)
}

// RotateServices protects all entries with the current master key. It requires the role
// admin of the tenant default.
func (c *Client) RotateServices(ctx context.Context) (done ServicesRotated, err error) {
	got, err := c.ask(ctx, operation{name: "services.rotate", method: http.MethodPost, path: "/v1/services/rotate", patience: dataPatience})
	if err != nil {
		return done, err
	}
	return done, decode(got, &done)
}

func entryPath(service, label string) string {
	return "/v1/services/" + url.PathEscape(service) + "/" + url.PathEscape(label)
}

// onEntry returns an operation on an entry without a body.
func onEntry(name, method, suffix, service, label string, params map[string]string) operation {
	op := list(name, entryPath(service, label)+suffix, given(params))
	op.method, op.fields = method, maps.Clone(params)
	op.fields["service"], op.fields["label"] = service, label
	return op
}
