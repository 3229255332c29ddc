package protocol

// Context names the person, agent and conversation that a request is made for. With
// authentication enabled it can only narrow what the credential allows.
type Context struct {
	User         string `json:"user,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"The person. This person is asked where a person must decide."`
	Agent        string `json:"agent,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"The agent. Its record lists the tools it may use."`
	Conversation string `json:"conversation,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"The conversation. Decisions with remember=session hold in it."`
	Toolset      string `json:"toolset,omitempty" maxLength:"64" doc:"The tool set: no other tool can be called directly. all (the default), search or code."`
	Timezone     string `json:"timezone,omitempty" maxLength:"64" doc:"The IANA name of the person's time zone, such as Europe/Berlin; UTC if it is absent. Programs read dates in it."`
}

// Owner names the person and the agent that a call was made for and that may see it.
// Both are empty for a call that names neither.
type Owner struct {
	User  string `json:"user,omitempty" doc:"The person; absent if the call names none."`
	Agent string `json:"agent,omitempty" doc:"The agent; absent if the call names none."`
}

// Speaker is the part of a request's body that names the person who sends it. A
// credential takes precedence.
type Speaker struct {
	By      string         `json:"by,omitempty" doc:"The person, if the credential names none."`
	Context SpeakerContext `json:"context,omitzero" doc:"The person, in the form that execute uses."`
}

// SpeakerContext is the long form of a [Speaker].
type SpeakerContext struct {
	User  string `json:"user,omitempty" doc:"The person."`
	Agent string `json:"agent,omitempty" doc:"The agent that acts for the person."`
}
