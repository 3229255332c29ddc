package services

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds the file; an entry has about 100 bytes.
const maxFile = 1 << 20

// readFile returns the bytes of a file that only its owner may read.
func readFile(path string) ([]byte, error) {
	// A pipe would hold up the open.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return nil, fmt.Errorf("it can be read or changed by others (mode %04o): run chmod 600 on it, and replace the credentials if somebody may have read them", info.Mode().Perm())
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

// withoutPath drops the name of the file, which the error has already.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("it cannot be read: %w", e.Err)
	}
	return fmt.Errorf("it cannot be read: %w", err)
}

// document returns the items of the one list that the text holds.
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

// notYAML passes on where a text is no YAML. What the parser says beyond that may
// show a piece of the text.
func notYAML(err error) error {
	if at := lineForm.FindStringSubmatch(err.Error()); at != nil {
		return fmt.Errorf("it is not YAML around line %s", at[1])
	}
	return errors.New("it is not YAML")
}
