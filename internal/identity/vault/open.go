package vault

import (
	"errors"
	"fmt"
	"os"
)

// Open returns the wrapper of the keys in a file, or in the environment variable of a
// name; [None] if both are empty.
func Open(file, variable string, report func(error)) (Wrapper, error) {
	switch {
	case file != "":
		k, err := OpenFile(file, report)
		if err != nil {
			return nil, err
		}
		return k, nil
	case variable != "":
		text, set := os.LookupEnv(variable)
		if !set {
			return nil, fmt.Errorf("master keys: the variable %s is not set", variable)
		}
		k, err := Parse(text)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("master keys in the variable %s", variable), err)
		}
		return k, nil
	}
	return None{}, nil
}
