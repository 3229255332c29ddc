// Package scan parses audit records without a JSON library, if they have the form in
// which they are written. It promises that the library parses such a record with the
// same result; it promises nothing for other forms, which may be records as well.
package scan

import (
	"bytes"
	"encoding/binary"
	"time"
)

// Field is a text of a record.
type Field uint8

// The texts that are returned. Records are indexed by those before ID.
const (
	Trace Field = iota
	Call
	Tool
	User
	Agent
	Conversation
	Status
	ErrorType
	Phase
	Outcome
	ID
	Tenant
	Worker
	other
)

// Facts are the texts of a record, slices of its bytes, its time, and the time at which its
// call was accepted, both in microseconds since 1970; [NoTime] if it has none.
type Facts struct {
	Micros, Accepted int64
	Values           [other + 1][]byte
}

// NoTime is the time of a record that has none: the year 1.
var NoTime = time.Time{}.UnixMicro()

// Record parses a record in the form in which audit.Encode writes it, several times as
// fast as the library. ok is false for any other form: unknown members, escapes,
// non-ASCII characters, spaces.
func Record(data []byte) (f Facts, ok bool) {
	f.Micros, f.Accepted = NoTime, NoTime
	s := scanner{rest: data, facts: &f}
	ok = s.object(ofRecord) && len(s.rest) == 0
	return f, ok
}

// object identifies an object of a record.
type object uint8

const (
	ofRecord object = iota
	ofDecision
	ofResult
)

// kind is the required type of a member's value.
type kind uint8

const (
	isText kind = iota
	isTime
	isAccepted
	isMoment // a time that is not returned
	isNumber
	isWhole
	isDecision
	isResult
)

// member returns the number of a member in its object, from 1; 0 for an unknown one.
func (o object) member(name []byte) (number uint, is kind, keep Field) {
	switch o {
	case ofDecision:
		switch string(name) {
		case "outcome":
			return 1, isText, Outcome
		case "reason":
			return 2, isText, other
		case "rule":
			return 3, isText, other
		}
	case ofResult:
		switch string(name) {
		case "status":
			return 1, isText, Status
		case "error_type":
			return 2, isText, ErrorType
		case "summary":
			return 3, isText, other
		}
	case ofRecord:
		return recordMember(name)
	}
	return 0, 0, 0
}

// recordMember returns the number of a member of a record.
func recordMember(name []byte) (number uint, is kind, keep Field) {
	switch string(name) {
	case "audit_id":
		return 1, isText, ID
	case "time":
		return 2, isTime, other
	case "phase":
		return 3, isText, Phase
	case "trace_id":
		return 4, isText, Trace
	case "call_id":
		return 5, isText, Call
	case "tenant":
		return 6, isText, Tenant
	case "user":
		return 7, isText, User
	case "agent":
		return 8, isText, Agent
	case "conversation":
		return 9, isText, Conversation
	case "by":
		return 10, isText, other
	case "tool":
		return 11, isText, Tool
	}
	return laterMember(name)
}

// laterMember is recordMember for members from the thirteenth on.
func laterMember(name []byte) (number uint, is kind, keep Field) {
	switch string(name) {
	case "tool_version":
		return 12, isText, other
	case "args_hash":
		return 13, isText, other
	case "consent_id":
		return 14, isText, other
	case "token_id":
		return 15, isText, other
	case "grant_id":
		return 16, isText, other
	case "decision":
		return 17, isDecision, other
	case "result":
		return 18, isResult, other
	case "started_at":
		return 19, isMoment, other
	case "ended_at":
		return 20, isMoment, other
	case "duration_ms":
		return 21, isNumber, other
	case "worker":
		return 22, isText, Worker
	case "attempt":
		return 23, isWhole, other
	case "detail":
		return 24, isText, other
	case "origin":
		return 25, isText, other
	case "key":
		return 26, isText, other
	case "macs":
		return 27, isText, other
	case "result_seq":
		return 28, isNumber, other
	case "accepted_at":
		return 29, isAccepted, other
	}
	return 0, 0, 0
}

// scanner parses a record from its beginning.
type scanner struct {
	rest  []byte
	facts *Facts
}

// object parses an object. It reports whether the object has the form of
// [audit.Encode].
func (s *scanner) object(o object) bool {
	if !s.skip('{') {
		return false
	}
	if s.skip('}') {
		return true
	}
	var seen uint32 // a duplicate member is left to the library to refuse
	for {
		name, ok := s.text()
		if !ok || !s.skip(':') {
			return false
		}
		number, is, keep := o.member(name)
		if number == 0 || seen&(1<<number) != 0 {
			return false
		}
		seen |= 1 << number
		switch is {
		case isText:
			s.facts.Values[keep], ok = s.text()
		case isTime:
			s.facts.Micros, ok = s.timestamp()
		case isAccepted:
			s.facts.Accepted, ok = s.timestamp()
		case isMoment:
			_, ok = s.timestamp()
		case isNumber:
			ok = s.number(true)
		case isWhole:
			ok = s.number(false)
		case isDecision:
			ok = s.object(ofDecision)
		case isResult:
			ok = s.object(ofResult)
		}
		if !ok {
			return false
		}
		if s.skip('}') {
			return true
		}
		if !s.skip(',') {
			return false
		}
	}
}

func (s *scanner) skip(c byte) bool {
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// text parses a string without escapes.
func (s *scanner) text() ([]byte, bool) {
	if !s.skip('"') {
		return nil, false
	}
	end := bytes.IndexByte(s.rest, '"')
	if end < 0 || !Plain(s.rest[:end]) {
		return nil, false
	}
	text := s.rest[:end:end]
	s.rest = s.rest[end+1:]
	return text, true
}

// Plain reports whether b consists of printable ASCII without backslash. It checks
// eight bytes at a time.
func Plain(b []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		slash := w ^ ones*'\\'
		if (w|(w-ones*' ')|((slash-ones)&^slash))&highs != 0 {
			return false
		}
	}
	for _, c := range b {
		if c < ' ' || c >= 0x80 || c == '\\' {
			return false
		}
	}
	return true
}

func (s *scanner) timestamp() (micros int64, ok bool) {
	text, ok := s.text()
	// The time package also accepts an hour of one digit and a comma before the
	// fraction.
	if !ok || len(text) < len("2006-01-02T15:04:05Z") || text[len(text)-1] != 'Z' ||
		text[len("2006-01-02T15")] != ':' || bytes.IndexByte(text, ',') >= 0 {
		return 0, false
	}
	var at time.Time
	if at.UnmarshalText(text) != nil {
		return 0, false
	}
	return at.UnixMicro(), true
}

// longest is the maximum length of a number, so that it fits the type of its field.
const longest = 18

// number parses a number without an exponent.
func (s *scanner) number(fraction bool) bool {
	n := 0
	digits := func() bool {
		from := n
		for n < len(s.rest) && s.rest[n]-'0' <= 9 {
			n++
		}
		return n > from
	}
	if n < len(s.rest) && s.rest[n] == '-' {
		n++
	}
	if n+1 < len(s.rest) && s.rest[n] == '0' && s.rest[n+1]-'0' <= 9 || !digits() {
		return false
	}
	if fraction && n < len(s.rest) && s.rest[n] == '.' {
		n++
		if !digits() {
			return false
		}
	}
	s.rest = s.rest[n:]
	return n <= longest
}
