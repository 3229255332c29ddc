package js

import (
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// configRow reads the config center. Disabled entries are invisible, and the first of
// the others is the default one. A missing value is undefined.
var configRow = row{
	"getApiKey":        getAPIKey,
	"getServiceConfig": getServiceConfig,
	"getConfigEntry":   getConfigEntry,
	"getConfigEntries": getConfigEntries,
	"getFieldValue":    getFieldValue,
}

// keyFields lists the fields that may hold an API key, the most specific first.
var keyFields = []string{"api_key", "apiKey", "access_token", "key", "token"}

// configEntry is an entry as a script sees it.
type configEntry struct {
	Label   string            `json:"label"`
	Default bool              `json:"default"`
	Active  bool              `json:"active"`
	Data    map[string]string `json:"data"`
}

// entries requests the entries of the service that argument 0 names.
func (u use) entries() []configEntry {
	name := u.text(0, "name")
	if name == "" {
		u.refusef("name must be the name of a service")
	}
	var stored []tool.ServiceEntry
	if err := json.Unmarshal(u.r.ask(OpService, name, nil).Value, &stored); err != nil {
		panic(u.r.failure(tool.Fail(tool.Internal, "the config center cannot be read").Because(err)))
	}
	entries := []configEntry{}
	for _, e := range stored {
		if e.Active {
			entries = append(entries, configEntry{e.Label, e.Default, e.Active, e.Data})
		}
	}
	return entries
}

// entry returns the default entry, or the first entry with a label if one is given.
func (u use) entry(label string) (configEntry, bool) {
	for _, e := range u.entries() {
		if label == "" || e.Label == label {
			return e, true
		}
	}
	return configEntry{}, false
}

// label returns argument i, which is optional.
func (u use) label(i int) string {
	if !u.given(i) {
		return ""
	}
	return u.text(i, "label")
}

// json creates a plain value; a field of any name becomes the object's own property.
func (u use) json(v any) goja.Value {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(u.r.failure(err))
	}
	return u.r.fromJSON(raw)
}

// getAPIKey returns the key of the default entry: the value of one of keyFields or of
// its only field.
func getAPIKey(u use) goja.Value {
	e, _ := u.entry("")
	for _, field := range keyFields {
		if key := e.Data[field]; key != "" {
			return u.value(key)
		}
	}
	if len(e.Data) == 1 {
		for _, key := range e.Data {
			if key != "" {
				return u.value(key)
			}
		}
	}
	return goja.Undefined()
}

// getServiceConfig returns the fields of the default entry.
func getServiceConfig(u use) goja.Value {
	e, ok := u.entry("")
	if !ok {
		return goja.Undefined()
	}
	return u.json(e.Data)
}

// getConfigEntry returns the default entry, or the entry with a label.
func getConfigEntry(u use) goja.Value {
	e, ok := u.entry(u.label(1))
	if !ok {
		return goja.Undefined()
	}
	return u.json(e)
}

func getConfigEntries(u use) goja.Value { return u.json(u.entries()) }

// getFieldValue returns a field of the default entry, or of the entry with a label.
func getFieldValue(u use) goja.Value {
	field := u.text(1, "field")
	e, _ := u.entry(u.label(2))
	if v, ok := e.Data[field]; ok {
		return u.value(v)
	}
	return goja.Undefined()
}
