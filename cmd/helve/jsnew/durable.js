// __NAME__: execute gets the arguments, the tools that the manifest lists, and the
// program, with which it asks people and waits. It runs again from its beginning after
// each wait, with the outcomes that it has seen: what it calls may depend only on these.
async function execute(params, tools, program) {
  const { tasks } = await tools.list_tasks({ status: "pending" });
  const late = tasks.filter((t) => t.dueDate && t.dueDate < program.today());
  if (late.length === 0) return { late: 0, postponed: 0 };
  const yes = await program.ask(`Postpone ${late.length} late tasks?`, { type: "boolean" });
  if (!yes) return { late: late.length, postponed: 0 };
  await program.sleep(params.pause);
  await Promise.all(late.map((t) => tools.update_task({ taskId: t.id, dueDate: params.until })));
  return { late: late.length, postponed: late.length };
}
