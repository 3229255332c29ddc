package asyncapi

import (
	"bytes"
	"encoding/json"
)

// Document is an AsyncAPI 3 document, with the parts that this one needs.
type Document struct {
	AsyncAPI           string               `json:"asyncapi"`
	Info               Info                 `json:"info"`
	DefaultContentType string               `json:"defaultContentType"`
	Servers            map[string]Server    `json:"servers"`
	Channels           map[string]Channel   `json:"channels"`
	Operations         map[string]Operation `json:"operations"`
	Components         Components           `json:"components"`
}

// Info describes the document.
type Info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

// Server is the address of NATS.
type Server struct {
	Host        string `json:"host"`
	Protocol    string `json:"protocol"`
	Description string `json:"description"`
}

// Channel is a subject. A channel without an address is chosen by the requester.
type Channel struct {
	Address     *string        `json:"address"`
	Description string         `json:"description"`
	Parameters  map[string]Ref `json:"parameters,omitempty"`
	Messages    map[string]Ref `json:"messages"`
	// Stream is the JetStream stream that stores the messages; "" means that only
	// current subscribers receive them.
	Stream string `json:"x-helve-stream,omitempty"`
}

// Operation describes Helve's side of a subject: receive means that others send.
type Operation struct {
	Action      string    `json:"action"`
	Channel     Ref       `json:"channel"`
	Description string    `json:"description"`
	Messages    []Ref     `json:"messages,omitempty"`
	Reply       *Reply    `json:"reply,omitempty"`
	Bindings    *Bindings `json:"bindings,omitempty"`
	// HTTP is the same operation over HTTP. Roles are the roles that may use it; one is
	// enough.
	HTTP  string   `json:"x-helve-http,omitempty"`
	Roles []string `json:"x-helve-roles,omitempty"`
}

// Reply is the reply to a request.
type Reply struct {
	Channel  Ref   `json:"channel"`
	Messages []Ref `json:"messages"`
}

// Bindings have the details that are particular to NATS.
type Bindings struct {
	NATS struct {
		Queue   string `json:"queue"`
		Version string `json:"bindingVersion"`
	} `json:"nats"`
}

// Components are the referenced parts.
type Components struct {
	Messages   map[string]Message   `json:"messages"`
	Parameters map[string]Parameter `json:"parameters"`
}

// Message is a message; without a payload it has no body.
type Message struct {
	Description string `json:"description"`
	Headers     Schema `json:"headers,omitempty"`
	Payload     Schema `json:"payload,omitempty"`
}

// Parameter is a token of a subject.
type Parameter struct {
	Description string `json:"description"`
	Default     string `json:"default,omitempty"`
}

// Ref points to another part of the document.
type Ref struct {
	To string `json:"$ref"`
}

// JSON encodes the document as it is stored.
func (d *Document) JSON() ([]byte, error) {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return w.Bytes(), err
}

func toMessage(name string) Ref { return Ref{"#/components/messages/" + name} }

// said returns a reference to a message of a channel.
func said(channel, message string) Ref {
	return Ref{"#/channels/" + channel + "/messages/" + message}
}

func onChannel(name string) Ref { return Ref{"#/channels/" + name} }
