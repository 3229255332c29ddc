package tool

import "github.com/helve-dev/helve/protocol"

// The types of the fields of services.
const (
	FieldText    = protocol.FieldText
	FieldURL     = protocol.FieldURL
	FieldNumber  = protocol.FieldNumber
	FieldBoolean = protocol.FieldBoolean
)

// ServiceField describes a field of the entries of a service.
type ServiceField = protocol.ServiceField

// Service describes an outside service that tools use, and the fields of its entries in
// the config center. Tools read the entries with the port [Secrets].
type Service struct {
	// Name is the name by which tools request its entries.
	Name string `yaml:"name"`
	// Title is its name for people.
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	// Shared means that only an admin sets its entries, for the whole tenant: they decide
	// what tools may do.
	Shared bool           `yaml:"shared"`
	Fields []ServiceField `yaml:"fields"`
	// Test is the request with which an entry is tested; nil if there is none.
	Test *ServiceTest `yaml:"test"`
}

// ServiceTest is a request to a service that costs nothing and changes nothing.
type ServiceTest struct {
	// Dial, if set, is smtp or imap: the test connects to the mail server of the entry and
	// signs in, in place of a request.
	Dial string `yaml:"-"`
	// Method is the HTTP method; GET if empty.
	Method string `yaml:"method"`
	// URL is its address, in which {name} stands for the value of a field; a value that
	// begins the address ends without a slash.
	URL string `yaml:"url"`
	// Bearer is the field that is sent as bearer token, if it has a value. Otherwise User
	// and Password are the fields of basic authentication, if they have values.
	Bearer   string `yaml:"bearer"`
	User     string `yaml:"user"`
	Password string `yaml:"password"`
	// Header has headers, and Query parameters of the address, with values as URL has them.
	Header map[string]string `yaml:"header"`
	Query  map[string]string `yaml:"query"`
}

// Field returns the field of a name.
func (s Service) Field(name string) (ServiceField, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return ServiceField{}, false
}
