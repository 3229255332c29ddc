package protocol

import (
	"encoding/json"
	"time"
)

// Types of the fields of services.
const (
	FieldText    = "text"
	FieldURL     = "url"
	FieldNumber  = "number"
	FieldBoolean = "boolean"
)

// Service describes the entries of an outside service that tools use.
type Service struct {
	Name        string         `json:"name" doc:"The name by which tools request its entries."`
	Type        string         `json:"type" enum:"builtin,declared,oauth2,http,custom" doc:"builtin services belong to tools, declared ones are the operator's, and those of type oauth2 have accounts that people connect; http, custom and oauth2 also stand for services of any other name."`
	Title       string         `json:"title,omitempty" doc:"Its name for people."`
	Description string         `json:"description,omitempty" doc:"What it is for, and which tools use it."`
	Shared      bool           `json:"shared,omitzero" doc:"true if only an admin sets its entries, for the whole tenant."`
	Testable    bool           `json:"testable,omitzero" doc:"true if services.test can make a request to it."`
	Fields      []ServiceField `json:"fields" doc:"The fields of an entry."`
}

// ServiceField describes a field of the entries of a service.
type ServiceField struct {
	Name        string   `json:"name" yaml:"name" doc:"Its name."`
	Type        string   `json:"type" yaml:"type" enum:"text,url,number,boolean" doc:"The form of its values."`
	Required    bool     `json:"required,omitzero" yaml:"required" doc:"true if each entry must have it."`
	Secret      bool     `json:"secret,omitzero" yaml:"secret" doc:"true if its values are encrypted and never shown."`
	Default     string   `json:"default,omitempty" yaml:"default" doc:"The value of an entry without it."`
	Options     []string `json:"options,omitempty" yaml:"options" doc:"The allowed values; absent if any is."`
	Description string   `json:"description,omitempty" yaml:"description" doc:"What it means."`
}

// StoredService is an entry of a service, without its secrets.
type StoredService struct {
	Service string                     `json:"service" doc:"The service."`
	Label   string                     `json:"label" doc:"The name of the entry; default for the entry that tools use first."`
	User    string                     `json:"user,omitempty" doc:"The person whose entry it is; absent if it is everybody's in the tenant."`
	Type    string                     `json:"type,omitempty" enum:"http,custom,oauth2,account" doc:"The kind of an entry of a service that is not known by name, of a registration at a provider (oauth2), or of the account that a person connected there; absent for other entries."`
	Active  bool                       `json:"active" doc:"false if tools do not use it."`
	Fields  map[string]json.RawMessage `json:"fields" doc:"The values by field; of a secret only {\"set\": true}."`
	At      time.Time                  `json:"at,omitzero" doc:"The time it was last set."`
	By      string                     `json:"by,omitempty" doc:"The person who set it."`
	KeyID   string                     `json:"key_id,omitempty" doc:"The id of the master key that protects it."`
}

// ServiceList answers services.list and services.get.
type ServiceList struct {
	Services []Service       `json:"services" doc:"The services, by name."`
	Entries  []StoredService `json:"entries" doc:"The entries that the caller may see, by service, user and label."`
}

// ServiceSet is the body of services.set.
type ServiceSet struct {
	User   string                     `json:"user,omitempty" doc:"The person whose entry it is; if absent, the caller, or for an admin the whole tenant."`
	Type   string                     `json:"type,omitempty" enum:"http,custom,oauth2" doc:"The kind of a service that is not known by name: http (base_url, api_key, user, password), custom (any fields, all of them secret), or oauth2 (the registration of Helve at a provider, where people connect their accounts)."`
	Fields map[string]json.RawMessage `json:"fields" doc:"The values by field: text, numbers or booleans. {\"set\": true} keeps a stored value, null removes it."`
	Active *bool                      `json:"active,omitempty" doc:"false if tools are not to use the entry; true if absent."`
	Merge  bool                       `json:"merge,omitzero" doc:"true if fields that are not named keep their stored values."`
}

// ServiceTested answers services.test.
type ServiceTested struct {
	OK      bool   `json:"ok" doc:"true if the service accepted the request."`
	Message string `json:"message" doc:"What the service answered, or why it could not be reached, in a sentence."`
	Status  int    `json:"status,omitzero" doc:"The HTTP status of the answer; absent if there was none."`
}

// ServiceDeleted answers services.delete.
type ServiceDeleted struct {
	Revoked *bool  `json:"revoked,omitempty" doc:"Of an account: true if the provider has confirmed that its tokens are revoked; absent for other entries."`
	Message string `json:"message,omitempty" doc:"Of an account: why the tokens were not revoked, in a sentence."`
}

// The statuses of a [Connection].
const (
	ConnectionPending   = "pending"
	ConnectionConfirm   = "confirm"
	ConnectionConnected = "connected"
	ConnectionDenied    = "denied"
	ConnectionExpired   = "expired"
)

// Connection answers services.connect and services.connection: the attempt of a person to
// connect an account.
type Connection struct {
	ID         string      `json:"connection_id" doc:"Its id."`
	Status     string      `json:"status" enum:"pending,confirm,connected,denied,expired" doc:"The status. confirm: the person enters the code that the browser shows."`
	Service    string      `json:"service" doc:"The service."`
	User       string      `json:"user" doc:"The person."`
	ConnectURL string      `json:"connect_url,omitempty" doc:"The address to open in a browser; absent if device is there. It works in one browser; without a credential there, the browser shows a code with which the person confirms that it was theirs."`
	Device     *DeviceCode `json:"device,omitempty" doc:"The code to enter at the provider, if the service has a device_url."`
	ExpiresAt  time.Time   `json:"expires_at" doc:"The time until which the person must have done so."`
}

// DeviceCode is a code that a person enters at a provider to connect an account (RFC 8628).
type DeviceCode struct {
	VerificationURI         string `json:"verification_uri" doc:"The address at which the code is entered."`
	VerificationURIComplete string `json:"verification_uri_complete,omitempty" doc:"The same with the code in it."`
	UserCode                string `json:"user_code" doc:"The code."`
	IntervalSeconds         int    `json:"interval_seconds" doc:"How long to wait between two requests for the status."`
}

// ServicesRotated answers services.rotate.
type ServicesRotated struct {
	KeyID   string `json:"key_id" doc:"The id of the master key that now protects every entry but those in left."`
	Rotated int    `json:"rotated" doc:"How many entries were protected by it now; the key pair of web push is one."`
	Left    int    `json:"left" doc:"How many entries are still under another key, which the dispatcher lacks; they cannot be read."`
}

// ServicesCollection is the collection of the entries of services in an export of a
// person's data. They have no secrets, so an import leaves them out.
const ServicesCollection = "services"
