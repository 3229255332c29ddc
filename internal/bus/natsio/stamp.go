package natsio

import (
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Generation numbers the definitions of streams. It is raised when a version of Helve needs
// other settings than the one before: a process leaves a stream as it is that a process
// of a later generation wrote.
const Generation = 2

// stampKey is the entry of a stream's metadata that holds its stamp: the generation of the
// process that wrote the settings, and their fingerprint. While the fingerprint matches the
// settings, they are those of a Helve process, perhaps with another configuration. Else they
// were altered by something else.
const stampKey = "helve.config"

// setting is one setting of a stream that Helve sets. Of a bound, a wider one than wanted is
// left as it is while processes run: narrowing it could delete messages, and an operator may
// have made room.
type setting struct {
	name  string
	of    func(c *jetstream.StreamConfig) any
	fixed bool // the server does not change it in an existing stream
	wider func(want, is *jetstream.StreamConfig) bool
	keep  func(want, is *jetstream.StreamConfig) // takes the value of is over
}

// settings returns all settings that are compared, in the order of the fingerprint.
func settings() []setting {
	type config = jetstream.StreamConfig
	none := func(n int64) bool { return n <= 0 }
	// A bound that was removed is set again where a full stream refuses messages: without it
	// the disk fills. Where a stream drops its oldest messages, setting it would delete some.
	drops := func(c *config) bool { return c.Discard == jetstream.DiscardOld }
	return []setting{
		{name: "subjects", of: func(c *config) any { return strings.Join(c.Subjects, " ") }},
		{name: "retention", fixed: true, of: func(c *config) any { return c.Retention }},
		{name: "storage", fixed: true, of: func(c *config) any { return c.Storage }},
		{name: "sealed", fixed: true, of: func(c *config) any { return c.Sealed }},
		{
			name: "replicas", of: func(c *config) any { return max(c.Replicas, 1) },
			wider: func(want, is *config) bool { return is.Replicas > want.Replicas },
			keep:  func(want, is *config) { want.Replicas = is.Replicas },
		},
		{
			name: "max_age", of: func(c *config) any { return c.MaxAge },
			wider: func(want, is *config) bool { return want.MaxAge > 0 && (is.MaxAge == 0 || is.MaxAge > want.MaxAge) },
			keep:  func(want, is *config) { want.MaxAge = is.MaxAge },
		},
		{
			name: "max_bytes", of: func(c *config) any { return orNone(c.MaxBytes) },
			wider: func(want, is *config) bool {
				return !none(want.MaxBytes) && (is.MaxBytes > want.MaxBytes || none(is.MaxBytes) && drops(want))
			},
			keep: func(want, is *config) { want.MaxBytes = is.MaxBytes },
		},
		{
			name: "max_msgs", of: func(c *config) any { return orNone(c.MaxMsgs) },
			wider: func(want, is *config) bool {
				return !none(want.MaxMsgs) && (is.MaxMsgs > want.MaxMsgs || none(is.MaxMsgs) && drops(want))
			},
			keep: func(want, is *config) { want.MaxMsgs = is.MaxMsgs },
		},
		{name: "max_msgs_per_subject", of: func(c *config) any { return orNone(c.MaxMsgsPerSubject) }},
		{name: "max_msg_size", of: func(c *config) any { return orNone(int64(c.MaxMsgSize)) }},
		{name: "discard", of: func(c *config) any { return c.Discard }},
		{name: "discard_new_per_subject", of: func(c *config) any { return c.DiscardNewPerSubject }},
		{name: "duplicate_window", of: func(c *config) any { return c.Duplicates }},
		{name: "deny_delete", of: func(c *config) any { return c.DenyDelete }},
		{name: "deny_purge", of: func(c *config) any { return c.DenyPurge }},
		{name: "allow_rollup_hdrs", of: func(c *config) any { return c.AllowRollup }},
		{name: "allow_direct", of: func(c *config) any { return c.AllowDirect }},
		{name: "no_ack", of: func(c *config) any { return c.NoAck }},
		{name: "allow_msg_ttl", of: func(c *config) any { return c.AllowMsgTTL }},
		{name: "subject_delete_marker_ttl", of: func(c *config) any { return c.SubjectDeleteMarkerTTL }},
		{name: "allow_msg_schedules", of: func(c *config) any { return c.AllowMsgSchedules }},
		{name: "republish", of: func(c *config) any { return republishes(c.RePublish) }},
	}
}

// differs returns the settings of a stream that are not as wanted. An unset
// duplicate window means that any is right.
func differs(want, is jetstream.StreamConfig) (all []setting) {
	for _, s := range settings() {
		if s.of(&want) != s.of(&is) && (s.name != "duplicate_window" || want.Duplicates != 0) {
			all = append(all, s)
		}
	}
	return all
}

// fits reports whether a stream has the settings of cfg.
func fits(cfg, is jetstream.StreamConfig) bool { return len(differs(cfg, is)) == 0 }

// fingerprint returns a short form of all settings.
func fingerprint(c jetstream.StreamConfig) string {
	h := fnv.New64a()
	for _, s := range settings() {
		fmt.Fprintf(h, "%s=%v\n", s.name, s.of(&c))
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// merged returns is with the settings of cfg and a new stamp. What Helve does not set, as
// the placement of a stream or its compression, remains as an operator chose it.
func merged(cfg, is jetstream.StreamConfig) jetstream.StreamConfig {
	out := cfg
	if is.Name != "" {
		out = is
		out.Subjects, out.Retention, out.Storage, out.Sealed = cfg.Subjects, cfg.Retention, cfg.Storage, cfg.Sealed
		out.Replicas, out.MaxAge, out.MaxBytes, out.MaxMsgs = cfg.Replicas, cfg.MaxAge, cfg.MaxBytes, cfg.MaxMsgs
		out.MaxMsgsPerSubject, out.MaxMsgSize = cfg.MaxMsgsPerSubject, cfg.MaxMsgSize
		out.Discard, out.DiscardNewPerSubject = cfg.Discard, cfg.DiscardNewPerSubject
		out.DenyDelete, out.DenyPurge, out.AllowRollup = cfg.DenyDelete, cfg.DenyPurge, cfg.AllowRollup
		out.AllowDirect, out.NoAck, out.AllowMsgTTL, out.AllowMsgSchedules = cfg.AllowDirect, cfg.NoAck, cfg.AllowMsgTTL, cfg.AllowMsgSchedules
		out.SubjectDeleteMarkerTTL, out.RePublish = cfg.SubjectDeleteMarkerTTL, cfg.RePublish
		if cfg.Duplicates != 0 {
			out.Duplicates = cfg.Duplicates
		}
	}
	out.Metadata = maps.Clone(out.Metadata)
	maps.DeleteFunc(out.Metadata, func(key, _ string) bool { return strings.HasPrefix(key, "_nats.") }) // the server's own
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	out.Metadata[stampKey] = strconv.Itoa(Generation) + " " + fingerprint(out)
	return out
}

// stamp returns the generation that last wrote a stream, 0 for an earlier version, and
// whether its settings are still those that were written.
func stamp(is jetstream.StreamConfig) (generation int, intact bool) {
	number, written, ok := strings.Cut(is.Metadata[stampKey], " ")
	generation, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0, false
	}
	// The fingerprint of another generation may be of other settings.
	return generation, generation != Generation || written == fingerprint(is)
}
