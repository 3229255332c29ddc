package js

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"io"
	"reflect"
	"strings"

	"github.com/dop251/goja"
	"github.com/google/uuid"
)

// maxRandom limits the bytes of one getRandomValues, as on the web.
const maxRandom = 65536

// crypto is the part of the web's crypto that needs no keys.
func (r *realm) crypto() goja.Value {
	return r.vm.NewDynamicObject(&lazy{names: []string{"randomUUID", "getRandomValues", "subtle"}, make: func(name string) goja.Value {
		switch name {
		case "randomUUID":
			return r.function(name, func(goja.FunctionCall) goja.Value { return r.vm.ToValue(r.uuid()) })
		case "getRandomValues":
			return r.function(name, r.getRandomValues)
		case "subtle":
			return r.subtle()
		}
		return nil
	}})
}

func (r *realm) getRandomValues(call goja.FunctionCall) goja.Value {
	array, ok := call.Argument(0).(*goja.Object)
	if !ok || array.ExportType().Kind() != reflect.Slice || !isInteger(array.ExportType().Elem().Kind()) {
		panic(r.error("TypeMismatchError", "crypto.getRandomValues: give a typed array of integers"))
	}
	data, ok := r.bytesOf(array)
	if !ok || len(data) > maxRandom {
		panic(r.error("QuotaExceededError", "crypto.getRandomValues: at most 65536 bytes at a time"))
	}
	_, _ = r.random().Read(data) // it never fails
	return array
}

// random returns the source of random bytes: that of a program repeats itself when the
// program runs again.
func (r *realm) random() io.Reader {
	if r.program != nil {
		return r.program.random
	}
	return rand.Reader
}

func (r *realm) uuid() string { return uuid.Must(uuid.NewRandomFromReader(r.random())).String() }

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uint64 }

func (r *realm) subtle() goja.Value {
	return r.vm.NewDynamicObject(&lazy{names: []string{"digest"}, make: func(name string) goja.Value {
		if name != "digest" {
			return nil
		}
		return r.function(name, func(call goja.FunctionCall) goja.Value {
			return r.promised(func() goja.Value { return r.digest(call) })
		})
	}})
}

func (r *realm) digest(call goja.FunctionCall) goja.Value {
	algorithm := call.Argument(0)
	if obj, ok := algorithm.(*goja.Object); ok {
		if name := obj.Get("name"); name != nil {
			algorithm = name
		}
	}
	name := r.stringOf(algorithm, "crypto.subtle.digest: the algorithm")
	data, ok := r.bytesOf(call.Argument(1))
	if !ok {
		panic(r.vm.NewTypeError("crypto.subtle.digest: the data must be an ArrayBuffer or a typed array; a text is encoded by TextEncoder"))
	}
	sum := hashOf(name, data)
	if sum == nil {
		panic(r.error("NotSupportedError", "crypto.subtle.digest: the algorithm must be SHA-1, SHA-256, SHA-384 or SHA-512"))
	}
	return r.buffer(sum)
}

// hashOf returns nil for an unknown algorithm.
func hashOf(algorithm string, data []byte) []byte {
	switch strings.ToUpper(algorithm) {
	case "SHA-1":
		sum := sha1.Sum(data)
		return sum[:]
	case "SHA-256":
		sum := sha256.Sum256(data)
		return sum[:]
	case "SHA-384":
		sum := sha512.Sum384(data)
		return sum[:]
	case "SHA-512":
		sum := sha512.Sum512(data)
		return sum[:]
	}
	return nil
}
