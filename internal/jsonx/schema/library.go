package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/xeipuuv/gojsonschema"
)

// library is one rule compiled by gojsonschema.
type library struct {
	rule     *rule
	compiled *gojsonschema.Schema
}

// compileLibrary compiles the document of a rule. It turns a panic of the
// library into an error.
func compileLibrary(r *rule) (l *library, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the schema could not be compiled: %s", clip(fmt.Sprint(p)))
		}
	}()
	loader := gojsonschema.NewSchemaLoader()
	loader.Draft, loader.AutoDetect = gojsonschema.Draft7, false
	compiled, err := loader.Compile(sealed{gojsonschema.NewRawLoader(document(r))})
	if err != nil {
		return nil, errors.New(clip(err.Error()))
	}
	return &library{r, compiled}, nil
}

// problems validates a value and returns the problems with it as sentences. Nil means that
// the value is valid. The work is charged to the meter.
func (l *library) problems(v any, m *meter) (texts []string) {
	if m.check(l.rule, v, 0); m.left < 0 {
		return []string{"arguments: too large to be checked against this schema; send fewer or shorter values"}
	}
	return validate(l.compiled, v)
}

// validate runs the library. It turns a panic into a problem.
func validate(compiled *gojsonschema.Schema, v any) (texts []string) {
	defer func() {
		if p := recover(); p != nil {
			texts = []string{"arguments: could not be checked; send simpler values"}
		}
	}()
	result, err := compiled.Validate(gojsonschema.NewRawLoader(v))
	if err != nil {
		return []string{"arguments: could not be checked: " + clip(err.Error())}
	}
	if result.Valid() {
		return nil
	}
	return describe(result.Errors(), v)
}

// sealed is a document from which the library can load nothing else.
type sealed struct{ gojsonschema.JSONLoader }

// LoaderFactory replaces the factory that opens files and URLs.
func (sealed) LoaderFactory() gojsonschema.JSONLoaderFactory { return noLoading{} }

type noLoading struct{}

func (noLoading) New(source string) gojsonschema.JSONLoader {
	return unloadable{gojsonschema.NewRawLoader(nil)}
}

type unloadable struct{ gojsonschema.JSONLoader }

func (unloadable) LoadJSON() (any, error) {
	return nil, errors.New("references outside the document are not loaded")
}

// metaSchema is the draft-07 schema of schemas, which is part of the library.
var metaSchema = sync.OnceValues(func() (*gojsonschema.Schema, error) {
	loader := gojsonschema.NewSchemaLoader()
	loader.Draft, loader.AutoDetect = gojsonschema.Draft7, false
	return loader.Compile(gojsonschema.NewReferenceLoader("http://json-schema.org/draft-07/schema#"))
})

// decode reads JSON that passed the strict checks into maps, lists, strings, booleans, nil
// and json.Number, with which the library keeps every digit.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// encode writes a value that decode returned.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
