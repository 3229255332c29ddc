package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Constrain arguments with tags. The engine validates them before the tool runs, and the
// same schema is sent to models.
func ExampleSchemaOf() {
	type searchArgs struct {
		Query string `json:"query" doc:"Words to find." min:"1" max:"200"`
		Order string `json:"order" doc:"Order of the results." enum:"newest,best" default:"best"`
		Page  int    `json:"page,omitempty" doc:"Page, from 1." min:"1"`
	}
	schema, err := tool.SchemaOf[searchArgs]()
	if err != nil {
		fmt.Println(err)
		return
	}
	var s struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	fmt.Println(json.Unmarshal(schema, &s), s.Required)
	fmt.Println(string(s.Properties["order"]))
	fmt.Println(string(s.Properties["page"]))
	// Output:
	// <nil> [query]
	// {"type":"string","description":"Order of the results.","enum":["newest","best"],"default":"best"}
	// {"type":"integer","description":"Page, from 1.","minimum":1}
}

// Nest structs, lists and maps. A time is a string in the format date-time.
func ExampleSchemaOf_nested() {
	type stop struct {
		City string `json:"city" doc:"Name of the city."`
	}
	type tripArgs struct {
		Stops []stop            `json:"stops" doc:"Cities in their order." min:"2"`
		Notes map[string]string `json:"notes,omitempty" doc:"Notes by city."`
	}
	schema, err := tool.SchemaOf[tripArgs]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tool.ParameterHelp(schema))
	// Output:
	// - stops (array of object, required): Cities in their order.
	//   - city (string, required): Name of the city.
	// - notes (object): Notes by city.
}

// Mark an argument that nobody may see: consent requests and records hide its value.
func ExampleSchemaOf_secret() {
	type signInArgs struct {
		Password string `json:"password" doc:"Password of the account." secret:"true"`
	}
	schema, err := tool.SchemaOf[signInArgs]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(string(schema), `"writeOnly":true`))
	// Output: true
}

// A type that has no JSON form is an error, not a panic at the first call.
func ExampleSchemaOf_errors() {
	type watchArgs struct {
		Done chan bool `json:"done"`
	}
	_, err := tool.SchemaOf[watchArgs]()
	fmt.Println(err)
	// Output: done: chan bool has no JSON form
}

// Remind a caller of the parameters in one line, at the end of an error message.
func ExampleParameterSummary() {
	type sortArgs struct {
		Items []string `json:"items" doc:"Items to sort."`
		Order string   `json:"order" doc:"Direction." enum:"asc,desc" default:"asc"`
	}
	schema, err := tool.SchemaOf[sortArgs]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tool.ParameterSummary(schema))
	// Output: parameters: items (array of string, required), order (asc|desc)
}
