package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	koanfyaml "github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/rawbytes"
	"go.yaml.in/yaml/v3"
)

// largestFile is far above any configuration and small enough to read into memory.
const largestFile = 1 << 20

// fileLayer reads and parses the YAML file called name.
func fileLayer(name string) (layer, error) {
	text, err := readFile(name)
	if err != nil {
		return layer{}, err
	}
	if err := oneMapping(text); err != nil {
		return layer{}, err
	}
	l, err := read(rawbytes.Provider(text), koanfyaml.Parser(), func(string) string { return name })
	if err != nil {
		return layer{}, fmt.Errorf("is not valid YAML: %w", err)
	}
	return l, nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot be read (%w); name an existing file", cause(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, largestFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read (%w); name an existing file", cause(err))
	case len(text) > largestFile:
		return nil, fmt.Errorf("is larger than %v; a configuration is not", Bytes(largestFile))
	}
	return text, nil
}

// cause removes the file name from err, because the problem contains it.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// oneMapping refuses a second document, which the parser would silently ignore, and
// anything other than keys with values.
func oneMapping(text []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("is not valid YAML: %w", err)
	case len(doc.Content) == 1 && doc.Content[0].Kind != yaml.MappingNode && doc.Content[0].Tag != "!!null":
		return errors.New("holds no keys; want lines such as \"profile: standard\"")
	}
	if err := dec.Decode(&doc); !errors.Is(err, io.EOF) {
		return errors.New("holds more than one YAML document; want one, without a second \"---\"")
	}
	return nil
}
