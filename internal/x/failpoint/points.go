package failpoint

// The points, in the order in which a call passes them.
const (
	// DispatcherReceived is before any work for a call.
	DispatcherReceived = "dispatcher.received"
	// DispatcherBeforeAccept is before the acceptance of a call_id is stored.
	DispatcherBeforeAccept = "dispatcher.before_accept"
	// DispatcherBeforeRelease is where the queue has refused a call and its acceptance
	// is not withdrawn yet.
	DispatcherBeforeRelease = "dispatcher.before_release"
	// DispatcherAfterAccept is where the acceptance is stored and the call is not
	// queued yet.
	DispatcherAfterAccept = "dispatcher.after_accept"
	// DispatcherAfterHand is where the call was handed to a worker and is not queued, and
	// DispatcherBeforeCopy where it has no result in time and is about to be queued.
	DispatcherAfterHand  = "dispatcher.after_hand"
	DispatcherBeforeCopy = "dispatcher.before_copy"
	// DispatcherAfterSubmit is where the call is queued and the dispatcher has not read
	// the acknowledgement.
	DispatcherAfterSubmit = "dispatcher.after_submit"
	// DispatcherBeforeAnswer is where every call of a request has a result element and
	// the caller has no answer yet.
	DispatcherBeforeAnswer = "dispatcher.before_answer"
	// DispatcherAfterEnd is where a dispatcher has ended a call that did not start, by
	// its fence, and the result is not stored yet.
	DispatcherAfterEnd = "dispatcher.after_end"

	// QueueReceive is where the queue delivered a call that was not read yet.
	QueueReceive = "queue.receive"
	// QueueReceiveDirect is where a direct call was received and was not read, and QueueDecline
	// where a worker is about to decline one.
	QueueReceiveDirect = "queue.receive_direct"
	QueueDecline       = "queue.decline"
	// WorkerTaken is where a worker has received a call and done nothing with it.
	WorkerTaken = "worker.taken"
	// WorkerBeforeEarlier is before a worker checks for an earlier attempt of a
	// redelivered call.
	WorkerBeforeEarlier = "worker.before_earlier"
	// WorkerBeforeFence is before the start fence is stored.
	WorkerBeforeFence = "worker.before_fence"
	// WorkerAfterFence is where the fence is stored and the tool has not run.
	WorkerAfterFence = "worker.after_fence"
	// WorkerBeforeEnd is before a worker stores the fence that ends a call that has not
	// started.
	WorkerBeforeEnd = "worker.before_end"
	// WorkerAfterTool is where the tool has run and its result is not
	// published.
	WorkerAfterTool = "worker.after_tool"
	// WorkerAfterResult is where the result is stored and the call is still in the
	// queue.
	WorkerAfterResult = "worker.after_result"
	// WorkerBeforeGroup is where results are about to be stored in one message; at
	// WorkerAfterGroup they are stored, and their calls are still in the queue.
	WorkerBeforeGroup = "worker.before_group"
	WorkerAfterGroup  = "worker.after_group"
	// WorkerAfterAck is where the call was removed from the queue and its last event
	// was not published.
	WorkerAfterAck = "worker.after_ack"

	// PumpBeforeWrite is where final records were read with their results and are not
	// in the trail yet.
	PumpBeforeWrite = "pump.before_write"
	// PumpAfterWrite is where they are in the trail and the pump has not received the
	// acknowledgement.
	PumpAfterWrite = "pump.after_write"

	// DispatcherAfterCallback is where the callback of a call is stored and the call is not
	// queued yet.
	DispatcherAfterCallback = "dispatcher.after_callback"
	// CallbackCopied is where the result of a call was copied for its callback and is not
	// marked as due, and CallbackSent where a receiver has answered 2xx and that is not stored.
	CallbackCopied = "callback.copied"
	CallbackSent   = "callback.sent"
	// ProgramBegun is where a program is stored and its call is not queued; ProgramBeforeStep
	// and ProgramAfterStep are around the making of a step, ProgramBeforeEntry and
	// ProgramAfterEntry around an entry of a journal. ProgramParked is where a program is stored
	// as waiting and its turn goes on; ProgramWoken where what it waited for is in its journal,
	// and ProgramRequeued where its call is queued again, and neither is in its state.
	ProgramBegun       = "program.begun"
	ProgramBeforeStep  = "program.before_step"
	ProgramAfterStep   = "program.after_step"
	ProgramBeforeEntry = "program.before_entry"
	ProgramAfterEntry  = "program.after_entry"
	ProgramParked      = "program.parked"
	ProgramWoken       = "program.woken"
	ProgramRequeued    = "program.requeued"

	// ScheduleFired is where a dispatcher has received the timer of a scheduled task,
	// ScheduleClaimed where a worker has committed its runs, and ScheduleMade where they
	// are made and their outcomes are not stored.
	ScheduleFired   = "schedule.fired"
	ScheduleClaimed = "schedule.claimed"
	ScheduleMade    = "schedule.made"
	// StoreBeforeCommit is where a tool has run and its changes are not yet being
	// committed.
	StoreBeforeCommit = "store.before_commit"
	// StoreInCommit is where the changes are written and their transaction has not
	// ended.
	StoreInCommit = "store.in_commit"
	// StoreAfterCommit is where the changes are committed with the call's result, which
	// is not published.
	StoreAfterCommit = "store.after_commit"

	// ConsentAfterPark is where a call is parked and the person has no request yet.
	ConsentAfterPark = "consent.after_park"
	// ConsentBeforeCarry is where a verdict is stored and has had no effect yet.
	ConsentBeforeCarry = "consent.before_carry"
	// ConsentAfterResume is where a granted call is queued again, or a denied one has
	// its result, and subscribers were not notified.
	ConsentAfterResume = "consent.after_resume"

	// AccountRenewed is where a provider has issued new tokens that are not stored yet.
	AccountRenewed = "account.renewed"

	// GroupsUsed is where a process begins to store or to read results in groups. With an error
	// it does neither, from its start on.
	GroupsUsed = "groups.used"

	// QueuePublish is before sending a message that needs an acknowledgement: a once-only
	// record, a call, a result.
	QueuePublish = "queue.publish"
	// QueueAck is where such an acknowledgement arrived and was not read.
	QueueAck = "queue.ack"
	// QueueRead is before the last message of a subject is read from a stream.
	QueueRead = "queue.read"
	// QueueSettle is before a call is removed from the queue or returned to it.
	QueueSettle = "queue.settle"
	// QueueMoved is where a call was moved to another lane and its old message is still
	// in the queue.
	QueueMoved = "queue.moved"
	// QueueBeat is before the heartbeats of a worker's calls are sent.
	QueueBeat = "queue.beat"
)

// Names returns every point.
func Names() []string {
	return []string{
		DispatcherReceived, DispatcherBeforeAccept, DispatcherAfterAccept, DispatcherBeforeRelease, DispatcherAfterHand, DispatcherBeforeCopy,
		DispatcherAfterSubmit, DispatcherBeforeAnswer, DispatcherAfterEnd,
		QueueReceive, QueueReceiveDirect, QueueDecline, WorkerTaken, WorkerBeforeEarlier, WorkerBeforeFence, WorkerAfterFence, WorkerBeforeEnd,
		WorkerAfterTool, WorkerAfterResult, WorkerBeforeGroup, WorkerAfterGroup, WorkerAfterAck,
		PumpBeforeWrite, PumpAfterWrite,
		DispatcherAfterCallback, CallbackCopied, CallbackSent,
		ProgramBegun, ProgramBeforeStep, ProgramAfterStep, ProgramBeforeEntry, ProgramAfterEntry, ProgramParked, ProgramWoken, ProgramRequeued,
		ScheduleFired, ScheduleClaimed, ScheduleMade,
		StoreBeforeCommit, StoreInCommit, StoreAfterCommit, ConsentAfterPark, ConsentBeforeCarry, ConsentAfterResume, AccountRenewed,
		GroupsUsed,
		QueuePublish, QueueAck, QueueRead, QueueSettle, QueueMoved, QueueBeat,
	}
}
