package apitools

import (
	"fmt"
	"strings"
	"testing"
)

// manyOperations is a document of 10,000 operations, two for each path, in JSON.
func manyOperations() []byte {
	var w strings.Builder
	w.WriteString(`{"openapi":"3.0.3","info":{"title":"Big","version":"1"},"servers":[{"url":"https://api.example"}],"paths":{`)
	for i := range 5000 {
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(&w, `"/orgs/{org}/things%d/{id}":{"parameters":[{"$ref":"#/components/parameters/org"},{"name":"id","in":"path","required":true,"description":"Which thing.","schema":{"type":"integer"}}],
			"get":{"operationId":"things/get-%[1]d","summary":"Get thing %[1]d","description":"Returns the thing of an organization with its owner and the labels that were set on it.","tags":["things"],
				"parameters":[{"name":"per_page","in":"query","schema":{"type":"integer","default":30,"maximum":100}}],"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}}}},
			"patch":{"operationId":"things/update-%[1]d","summary":"Update thing %[1]d","description":"Changes the thing.","tags":["things"],
				"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["name"],"properties":{"name":{"type":"string","description":"Its name."},"labels":{"type":"array","items":{"type":"string"}},"owner":{"$ref":"#/components/schemas/Owner"}}}}}},
				"responses":{"200":{"description":"ok"}}}}`, i)
	}
	w.WriteString(`},"components":{"parameters":{"org":{"name":"org","in":"path","required":true,"schema":{"type":"string"}}},
		"schemas":{"Thing":{"type":"object","properties":{"id":{"type":"integer"},"owner":{"$ref":"#/components/schemas/Owner"}}},"Owner":{"type":"object","properties":{"login":{"type":"string"}}}}}}`)
	return []byte(w.String())
}

// BenchmarkLoad measures making the offers of 10,000 operations.
func BenchmarkLoad(b *testing.B) {
	text := manyOperations()
	b.ReportAllocs()
	for b.Loop() {
		d := document{api: API{Name: "big", Document: "big.json"}}
		if err := d.fill(text, "default"); err != nil || len(d.offers) != 10_000 {
			b.Fatal(err, len(d.offers))
		}
	}
}
