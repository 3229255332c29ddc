package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"strings"
	"testing"
)

// hashOf returns the hash of a text without converting it.
func hashOf(canonical string) string {
	sum := sha256.Sum256([]byte(canonical))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// TestHashOfNumbers checks the canonical form of every kind of number.
func TestHashOfNumbers(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for _, c := range []struct{ sent, canonical string }{
		// RFC 8785 notation.
		{"0.1", "0.1"}, {"1.0", "1"}, {"1e-7", "1e-7"}, {"1E21", "1e+21"}, {"9007199254740992", "9007199254740992"},
		{"0", "0"}, {"-0", "0"}, {"-0.0e5", "0"}, {"0e-400", "0"}, {"0." + zeros(60), "0"},
		{"1.50", "1.5"}, {"-1.50", "-1.5"}, {"100e-2", "1"}, {"0.00001", "0.00001"}, {"0.000001e1", "0.00001"},
		{"1e20", "100000000000000000000"}, {"1e0000000000000000000000000000003", "1000"}, {"-7.0E+0", "-7"},
		{"5e-324", "5e-324"}, {"1e308", "1e+308"}, {"1.7976931348623157e308", "1.7976931348623157e+308"},
		{"0.30000000000000004", "0.30000000000000004"}, {"9007199254740992.000", "9007199254740992"},
		{"123456789012345", "123456789012345"}, {"12345678901234.5", "12345678901234.5"},

		// All sent digits, because a float does not keep them.
		{"9007199254740993", "9007199254740993"}, {"-9007199254740993", "-9007199254740993"},
		{"0.10000000000000000001", "0.10000000000000000001"}, {"1234567890123456789", "1234567890123456789"},
		{"9007199254740993.0", "9007199254740993"}, {"9.007199254740993e15", "9007199254740993"},
		{"9007199254740993000e-3", "9007199254740993"}, {"0.1000000000000000000100", "0.10000000000000000001"},
		{"10000000000000000001e-20", "0.10000000000000000001"}, {"1.10000000000000000001", "1.10000000000000000001"},
		{"123456789012345678901e5", "12345678901234567890100000"}, {"-123456789012345678901E+5", "-12345678901234567890100000"},
		{"1e-400", "0." + zeros(399) + "1"}, {"-12e-400", "-0." + zeros(398) + "12"},
		{"4e-324", "0." + zeros(323) + "4"}, // the nearest float is 5e-324
		{"1.79769313486231570001e308", "179769313486231570001" + zeros(288)},
	} {
		for _, around := range []struct{ before, after string }{
			{`{"a":`, `}`}, {`{"a":[`, `,1e-7]}`}, {`{"a":{"\\\"7":`, `,"b":"1.0 \" 2.0"}}`}, {`{"9":`, `,"a":0.1,"b":9007199254740993}`},
		} {
			got, err := Hash([]byte(around.before + c.sent + around.after))
			if want := around.before + c.canonical + around.after; err != nil || got != hashOf(want) {
				t.Errorf("Hash(%s) = %s, %v, want the hash of %s", around.before+c.sent+around.after, got, err, want)
			}
		}
	}
}

// TestHashReorders checks that the order of members, white space and escapes make
// no difference where a number has more digits than a float keeps.
func TestHashReorders(t *testing.T) {
	got, err := Hash([]byte(` { "b" : [ 1.0 , "\u0061" ] , "\u20ac" : 9007199254740993 , "a" : { "d" : 1 , "c" : 2.50 } } `))
	if want := hashOf(`{"a":{"c":2.5,"d":1},"b":[1,"a"],"€":9007199254740993}`); err != nil || got != want {
		t.Errorf("Hash = %s, %v, want %s", got, err, want)
	}
}

// TestHashRefuses checks that numbers with a very long plain decimal are refused before
// they are written.
func TestHashRefuses(t *testing.T) {
	for _, number := range []string{"1e999999999", "1e-999999999", "1E400", "1e-401", strings.Repeat("9", 65)} {
		_, err := Hash([]byte(`{"a":` + number + `}`))
		checkInvalid(t, "Hash", err, "number")
	}
}

// FuzzHashNumbers checks that two numbers have the same hash exactly if they are equal.
func FuzzHashNumbers(f *testing.F) {
	numbers := []string{
		"0", "-0", "1", "1.0", "10e-1", "0.1", "0.10000000000000000001", "9007199254740992", "9007199254740993", "9.007199254740993e15", "1e-400",
		"1E21", "1e308", "5e-324", "4e-324", "123456789012345678901e5", "-1.50", "1234567890123456789", "1e-7", "2.2250738585072011e-308",
	}
	for i, a := range numbers {
		f.Add(a, numbers[(i+1)%len(numbers)])
		f.Add(a, a+"0")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		args := func(number string) []byte { return []byte(`{"n":` + number + `}`) }
		hashA, errA := Hash(args(a))
		hashB, errB := Hash(args(b))
		x, okA := new(big.Rat).SetString(a)
		y, okB := new(big.Rat).SetString(b)
		if errA != nil || errB != nil || !isNumber(a) || !isNumber(b) {
			return
		}
		if !okA || !okB {
			t.Fatalf("big.Rat reads %s: %v, %s: %v", a, okA, b, okB)
		}
		if equal := x.Cmp(y) == 0; (hashA == hashB) != equal {
			t.Fatalf("%s and %s are equal: %v, and hash alike: %v", a, b, equal, hashA == hashB)
		}
	})
}

// FuzzForms checks that arguments which are recognized by their form are read and hashed as
// with the JSON library.
func FuzzForms(f *testing.F) {
	for _, args := range fuzzArguments {
		f.Add([]byte(args))
	}
	for _, args := range []string{
		nineValid, `{"b":1,"a":{"d":1.5,"c":-0}}`, `{"a":1,"b":[2,{"c":"\n\"x"}]}`, `{"a":1,"a":2}`, `{"é":1,"z":2}`,
		`{"a":123456789012345,"b":0.00000000001}`, ` {"a":1}`, `"{\"a\":1}"`,
		`{"a":` + strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth) + `}`,
	} {
		f.Add([]byte(args))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		object, short, err := arguments(args)
		slow, slowShort, slowErr := read(args)
		if !bytes.Equal(object, slow) || short != slowShort || (err == nil) != (slowErr == nil) {
			t.Fatalf("arguments(%q) = %q, %v, %v; read of it is %q, %v, %v", args, object, short, err, slow, slowShort, slowErr)
		}
		if err != nil {
			return
		}
		got, err := Hash(args)
		if want, wantErr := canonicalHash(slow, slowShort); got != want || err != nil || wantErr != nil {
			t.Fatalf("Hash(%q) = %s, %v, want %s, %v", args, got, err, want, wantErr)
		}
	})
}

// isNumber reports whether a text that is part of valid JSON is one number.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789+-.eE") == "" }

// BenchmarkHash measures arguments with ordinary numbers, and arguments with a number that
// a float does not keep.
func BenchmarkHash(b *testing.B) {
	for _, c := range []struct{ name, args string }{
		{"canonical", `{"encoding":"utf-8","limit":200,"path":"docs/readme.md"}`}, {"ordinary", nineValid},
		{"exact", replace(b, nineValid, "0.5", "9007199254740993")},
	} {
		b.Run(c.name, func(b *testing.B) {
			args := []byte(c.args)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Hash(args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
