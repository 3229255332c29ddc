package services

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/internal/identity/secretfile"
)

// maxFile limits the file; an entry has about 100 bytes.
const maxFile = 1 << 20

// readFile returns the bytes of a file that only its owner may read.
func readFile(path string) ([]byte, error) {
	// Opening a pipe would block.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, withoutPath(err)
	}
	if err := secretfile.Check(info); err != nil {
		return nil, fmt.Errorf("%w, and replace the credentials if somebody may have read them", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case len(text) > maxFile:
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return text, nil
}

// withoutPath removes the name of the file, which the error contains already.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("it cannot be read: %w", e.Err)
	}
	return fmt.Errorf("it cannot be read: %w", err)
}

// document returns the items of the only list in the text.
func document(text []byte) ([]*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty, as a file is that is being written; write [] for no entries")
	case err != nil:
		return nil, notYAML(err)
	case len(doc.Content) != 1 || doc.Content[0].Kind != yaml.SequenceNode:
		return nil, fmt.Errorf("line %d: it must hold a list of entries, each beginning with \"- service:\"", doc.Line)
	}
	switch err := dec.Decode(new(yaml.Node)); {
	case err == nil:
		return nil, errors.New("it holds more than one YAML document; want one list of entries")
	case !errors.Is(err, io.EOF):
		return nil, notYAML(err)
	}
	return doc.Content[0].Content, nil
}

var lineForm = regexp.MustCompile(`line (\d+)`)

// notYAML keeps only the line of a parser's error. The rest may contain a piece of the
// text.
func notYAML(err error) error {
	if at := lineForm.FindStringSubmatch(err.Error()); at != nil {
		return fmt.Errorf("it is not YAML around line %s", at[1])
	}
	return errors.New("it is not YAML")
}
