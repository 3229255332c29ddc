package queue

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// Results that are ready at the same time on one worker for one dispatcher are stored in
// one message, a group. Its subject is that of a single result with the id of the group in
// place of the call's. The body holds the elements one after another, header [HeaderGroup]
// their calls and lengths, and the headers [HeaderRecord] and [HeaderArguments] the final
// records and the arguments, separated by tabs.
//
// The server refuses a group that is stored already. It does not compare the calls in it: a
// call that was delivered twice may be in two groups, or in a group and in a single result.
// The first of them in the order of the stream is the result of the call, and the pump
// marks the records of the others as superseded. Only results of calls without side effects
// may be in a group, so this decides which answer counts, never what was done.

const (
	// HeaderGroup of a message of several results names each call and the length of its
	// element in bytes: "call_id:length", separated by spaces.
	HeaderGroup = "Helve-Group"
	// HeaderShared of a single result means that a group may hold an earlier result of the
	// call.
	HeaderShared = "Helve-Shared"

	// groupMark is the first character of the id of a group. No call_id has it.
	groupMark = "~"
	recordSep = "\t"
)

// Bounds of a group: the number of results, and the bytes of elements and of records. The
// server bounds headers to 64 KiB.
const (
	GroupResults     = 64
	GroupBytes       = 256 << 10
	GroupRecordBytes = 48 << 10
)

// GroupedResult is the result of a call with its final record.
type GroupedResult struct {
	CallID                     string
	Element, Record, Arguments []byte
}

// FinishGroup stores the results of several calls of one tenant, pool and dispatcher in
// one message. ID is unique. Done is called once; nil and [natsio.ErrExists] both mean that the
// group is stored.
func (b *Results) FinishGroup(tenant, pool, origin, id string, all []GroupedResult, done func(error)) {
	msg := encodeGroup(all)
	msg.Subject = b.subj.Result(tenant, pool, origin, groupMark+id)
	b.conn.Publish(msg, func(_ natsio.Ack, err error) { done(err) })
}

func encodeGroup(all []GroupedResult) *nats.Msg {
	elements, records, arguments := 0, 0, 0
	for i := range all {
		elements, records = elements+len(all[i].Element), records+len(all[i].Record)+len(recordSep)
		arguments += len(all[i].Arguments) + len(recordSep)
	}
	data, lines, args := make([]byte, 0, elements), make([]byte, 0, records), make([]byte, 0, arguments)
	names := make([]byte, 0, len(all)*48)
	for i := range all {
		one := &all[i]
		if i > 0 {
			names, lines, args = append(names, ' '), append(lines, recordSep...), append(args, recordSep...)
		}
		names = strconv.AppendInt(append(append(names, one.CallID...), ':'), int64(len(one.Element)), 10)
		data, lines, args = append(data, one.Element...), append(lines, one.Record...), append(args, one.Arguments...)
	}
	msg := &nats.Msg{Data: data, Header: nats.Header{HeaderGroup: {string(names)}, HeaderRecord: {string(lines)}}}
	if len(args) > len(all)-1 {
		msg.Header[HeaderArguments] = []string{string(args)}
	}
	return msg
}

// groupArguments returns the arguments of the nth call of a group. The header of a group may
// have lost separators at its ends.
func groupArguments(header string, n, calls int) string {
	all := strings.Split(header, recordSep)
	if len(all) != calls {
		return ""
	}
	return all[n]
}

var errGroup = errors.New("the message is no group of results")

// readGroup calls each for every call of a group with its element, or for none if the
// header does not fit the body.
func readGroup(names string, data []byte, each func(callID string, element []byte)) error {
	calls := strings.Fields(names)
	lengths, left := make([]int, len(calls)), len(data)
	for i, name := range calls {
		callID, length, _ := strings.Cut(name, ":")
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 || n > left || !subject.IsCallID(callID) {
			return errGroup
		}
		calls[i], lengths[i], left = callID, n, left-n
	}
	if left > 0 {
		return errGroup
	}
	for i, n := range lengths {
		each(calls[i], data[:n:n])
		data = data[n:]
	}
	return nil
}

// ResultsOf returns the elements in a message of the stream of results and the arguments of
// their calls, as many as the message has calls; nil if it has another number.
func ResultsOf(msg *nats.Msg, calls int) (elements [][]byte, arguments []string) {
	names, kept := msg.Header.Get(HeaderGroup), msg.Header.Get(HeaderArguments)
	if names == "" {
		return [][]byte{msg.Data}, []string{kept}
	}
	elements = make([][]byte, 0, calls)
	err := readGroup(names, msg.Data, func(_ string, element []byte) { elements = append(elements, element) })
	if err != nil || len(elements) != calls {
		return nil, nil
	}
	if arguments = strings.Split(kept, recordSep); len(arguments) != calls { // a header may have lost separators at its ends
		arguments = make([]string, calls)
	}
	return elements, arguments
}

// IsGroup reports whether the last token of a result's subject is the id of a group.
func IsGroup(id string) bool { return strings.HasPrefix(id, groupMark) }

// SplitRecords returns the final records in a header [HeaderRecord].
func SplitRecords(header string) [][]byte {
	return bytes.Split([]byte(header), []byte(recordSep))
}

// GroupCalls returns the calls that a header [HeaderGroup] names.
func GroupCalls(names string) []string {
	calls := strings.Fields(names)
	for i := range calls {
		calls[i], _, _ = strings.Cut(calls[i], ":")
	}
	return calls
}

// ResultAt returns the result of a call from the group at a place in the results stream;
// nil if it is no longer there.
func (b *Results) ResultAt(ctx context.Context, tenant, callID string, seq uint64) (*Stored, error) {
	msg, err := b.conn.At(ctx, streams.Results, seq)
	if errors.Is(err, natsio.ErrNotStored) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	of, pool, origin, id := b.subj.ReadResult(msg.Subject)
	if of != tenant || !IsGroup(id) {
		return nil, nil // the stream was deleted and created again
	}
	var found *Stored
	calls, n := 0, 0
	err = readGroup(msg.Header.Get(HeaderGroup), msg.Data, func(id string, element []byte) {
		if id == callID && found == nil {
			found, n = &Stored{Element: element, Origin: origin, Pool: pool, Seq: seq}, calls
		}
		calls++
	})
	if found != nil {
		found.Arguments = groupArguments(msg.Header.Get(HeaderArguments), n, calls)
	}
	return found, err
}
