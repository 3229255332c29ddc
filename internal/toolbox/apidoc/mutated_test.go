package apidoc

import (
	"testing"

	"github.com/helve-dev/helve/internal/test/testmutate"
)

// TestMutated: no API document ends the process, or is read without end.
func TestMutated(t *testing.T) {
	t.Parallel()
	seeds := [][]byte{
		[]byte(posting("{$ref: '#/components/schemas/A'}",
			"{schemas: {A: {type: object, properties: {a: &a {type: string, pattern: '^a'}, b: *a, c: {$ref: '#/components/schemas/A'}}}}}")),
		[]byte(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},"servers":[{"url":"https://a.example/{v}","variables":{"v":{"default":"1"}}}],"paths":{"/a/{id}":{"get":{"operationId":"a","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":["integer","null"]}}],"responses":{"200":{"description":"d"}}}}}}`),
	}
	testmutate.Each(t, testmutate.Count, seeds, func(data []byte) { _, _ = Read(data, all) })
}
