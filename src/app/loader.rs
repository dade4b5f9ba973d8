//! Read models on worker threads.
//!
//! In: a question and the session that answers it. Out: the last answer at once,
//! and a wake-up when a newer one is there. Answers are keyed by (question,
//! session revision): same key, no work. Asking again is spaced by the time the
//! last answer took, so that a running crawl does not drown in questions.
//!
//! Not here: which questions there are (see `reads`).

use super::models::{Loaded, Notice};
use crate::jobs::Wake;
use crate::work::Session;
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Answers kept for one kind of query.
const ANSWERS_KEPT: usize = 96;
/// Shortest time between two loads of one query.
const SHORTEST_WAIT: Duration = Duration::from_millis(150);
/// Longest wait before a query may be loaded again, however long the last answer took.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Times the last answer's duration to wait before the next load.
const WAIT_FACTOR: u32 = 4;

type Task = Box<dyn FnOnce() + Send>;

/// The order in which workers take waiting tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The one that waits longest: for writes.
    OldestFirst,
    /// The one queued last: for what is on screen now.
    NewestFirst,
}

/// A few worker threads. They end when the pool is dropped.
pub struct Pool(Arc<Line>);

struct Line {
    order: Order,
    tasks: Mutex<(VecDeque<Task>, bool)>,
    more: Condvar,
}

impl Pool {
    /// Starts `threads` workers called `name`.
    pub fn new(name: &str, threads: usize, order: Order) -> std::io::Result<Self> {
        let line = Arc::new(Line { order, tasks: Mutex::default(), more: Condvar::new() });
        for _ in 0..threads.max(1) {
            let line = line.clone();
            std::thread::Builder::new().name(name.to_owned()).spawn(move || line.work())?;
        }
        Ok(Self(line))
    }

    /// Hands a task to the next free worker.
    pub fn run(&self, task: impl FnOnce() + Send + 'static) {
        self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner).0.push_back(Box::new(task));
        self.0.more.notify_one();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Tasks in order (writes) are still done; queries are not.
        let mut tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if self.0.order == Order::NewestFirst {
            tasks.0.clear();
        }
        tasks.1 = true;
        self.0.more.notify_all();
    }
}

impl Line {
    fn work(&self) {
        loop {
            let task = {
                let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
                loop {
                    let next = match self.order {
                        Order::OldestFirst => tasks.0.pop_front(),
                        Order::NewestFirst => tasks.0.pop_back(),
                    };
                    if let Some(task) = next {
                        break task;
                    }
                    if tasks.1 {
                        return;
                    }
                    tasks = self.more.wait(tasks).unwrap_or_else(PoisonError::into_inner);
                }
            };
            // A task catches its own panic to report it; this keeps the worker.
            let _ = std::panic::catch_unwind(AssertUnwindSafe(task));
        }
    }
}

/// The context of a query: its session, its threads, and the function that wakes the window.
pub struct ReadCx {
    /// The session that answers; none while no workspace is open.
    pub session: Option<Arc<Session>>,
    /// Grows when another workspace is opened.
    pub generation: u64,
    /// Called when an answer is there.
    pub wake: Wake,
    /// The threads of the queries.
    pub pool: Pool,
    /// The time until a query that was put off is due.
    pub later: Cell<Option<Duration>>,
}

impl ReadCx {
    /// Asks for a look after this time at the latest.
    pub(super) fn put_off(&self, wait: Duration) {
        let wait = self.later.get().map_or(wait, |before| before.min(wait));
        self.later.set(Some(wait));
    }

    /// Frees answers on a worker: thousands of rows take longer than a frame has.
    fn free<T: Send + 'static>(&self, answers: Vec<T>) {
        if !answers.is_empty() {
            self.pool.run(move || drop(answers));
        }
    }
}

/// Answers to one kind of question, the last `KEPT` of them.
pub struct Cache<Q, T, const KEPT: usize = ANSWERS_KEPT> {
    entries: HashMap<Q, Entry<T>>,
    last: Option<Arc<T>>,
    answers: Channel<QueryAnswer<Q, T>>,
    uses: u64,
}

type Channel<A> = (Sender<A>, Receiver<A>);

struct Entry<T> {
    shown: Option<LastAnswer<T>>,
    requested: Option<Instant>,
    in_flight: bool,
    used: u64,
}

struct LastAnswer<T> {
    revision: u64,
    at: Instant,
    took: Duration,
    value: Result<Arc<T>, Notice>,
}

struct QueryAnswer<Q, T> {
    query: Q,
    revision: u64,
    took: Duration,
    value: Result<Arc<T>, Notice>,
}

impl<Q, T, const KEPT: usize> Default for Cache<Q, T, KEPT> {
    fn default() -> Self {
        Self { entries: HashMap::new(), last: None, answers: unbounded(), uses: 0 }
    }
}

impl<Q, T, const KEPT: usize> Cache<Q, T, KEPT>
where
    Q: Eq + Hash + Clone + Send + 'static,
    T: Send + Sync + 'static,
{
    /// Whether a worker still has a question of this kind.
    pub(super) fn is_waited_for(&self) -> bool {
        self.entries.values().filter(|entry| entry.in_flight).count() > self.answers.1.len()
    }

    /// The answer that can be shown now. Loads it again when the session's revision has changed
    /// since, or when the answer is older than `stale_after`.
    pub fn get<E: Into<anyhow::Error> + 'static>(
        &mut self,
        cx: &ReadCx,
        query: Q,
        stale_after: Option<Duration>,
        load: fn(&Session, &Q) -> Result<T, E>,
    ) -> Loaded<Arc<T>> {
        self.collect(cx);
        let Some(session) = &cx.session else {
            return Loaded::Failed(no_workspace());
        };
        self.uses += 1;
        let revision = session.revision();
        let uses = self.uses;
        let entry = self.entries.entry(query.clone()).or_insert(Entry {
            shown: None,
            requested: None,
            in_flight: false,
            used: uses,
        });
        entry.used = uses;
        let old = match &entry.shown {
            None => true,
            Some(shown) => shown.revision != revision || stale_after.is_some_and(|after| shown.at.elapsed() >= after),
        };
        if old && !entry.in_flight {
            let wait = entry
                .shown
                .as_ref()
                .map_or(Duration::ZERO, |shown| (shown.took * WAIT_FACTOR).clamp(SHORTEST_WAIT, LONGEST_WAIT));
            let since = entry.requested.map_or(LONGEST_WAIT, |at| at.elapsed());
            if since >= wait {
                entry.in_flight = true;
                entry.requested = Some(Instant::now());
                run_query(cx, session.clone(), revision, query, self.answers.0.clone(), load);
            } else {
                cx.put_off(wait - since);
            }
        }
        let answer = match &entry.shown {
            Some(LastAnswer { value: Ok(value), .. }) => Loaded::Ready(value.clone()),
            Some(LastAnswer { value: Err(notice), .. }) => Loaded::Failed(notice.clone()),
            None => Loaded::Loading { last: self.last.clone() },
        };
        self.forget_oldest(cx);
        answer
    }

    fn collect(&mut self, cx: &ReadCx) {
        let mut replaced = Vec::new();
        while let Ok(answer) = self.answers.1.try_recv() {
            if let Ok(value) = &answer.value {
                replaced.extend(self.last.replace(value.clone()));
            }
            if let Some(entry) = self.entries.get_mut(&answer.query) {
                entry.in_flight = false;
                let shown = LastAnswer {
                    revision: answer.revision,
                    at: Instant::now(),
                    took: answer.took,
                    value: answer.value,
                };
                replaced.extend(entry.shown.replace(shown).and_then(|before| before.value.ok()));
            }
        }
        cx.free(replaced);
    }

    fn forget_oldest(&mut self, cx: &ReadCx) {
        if self.entries.len() <= KEPT {
            return;
        }
        let mut uses: Vec<u64> = self.entries.values().map(|entry| entry.used).collect();
        uses.sort_unstable();
        let oldest_kept = uses[uses.len() - KEPT / 2];
        let oldest = self.entries.extract_if(|_, entry| entry.used < oldest_kept);
        cx.free(oldest.filter_map(|(_, entry)| entry.shown?.value.ok()).collect());
    }
}

fn run_query<Q, T, E>(
    cx: &ReadCx,
    session: Arc<Session>,
    revision: u64,
    query: Q,
    answers: Sender<QueryAnswer<Q, T>>,
    load: fn(&Session, &Q) -> Result<T, E>,
) where
    E: Into<anyhow::Error> + 'static,
    Q: Send + 'static,
    T: Send + Sync + 'static,
{
    let wake = cx.wake.clone();
    cx.pool.run(move || {
        let begun = Instant::now();
        let value = match std::panic::catch_unwind(AssertUnwindSafe(|| load(session.as_ref(), &query))) {
            Ok(Ok(value)) => Ok(Arc::new(value)),
            Ok(Err(error)) => Err(failure("This could not be read", &error.into())),
            Err(_) => Err(Notice {
                is_error: true,
                what: "This could not be read".to_owned(),
                why: "internal error while reading".to_owned(),
                hint: "Details are in the program log; the workspace is intact".to_owned(),
            }),
        };
        // Nobody listens any more when the window has closed, or another workspace is open.
        let _ = answers.send(QueryAnswer { query, revision, took: begun.elapsed(), value });
        wake();
    });
}

/// The notice of a command that needs an open workspace.
pub(super) fn no_workspace() -> Notice {
    Notice {
        is_error: false,
        what: "No workspace open".to_owned(),
        why: String::new(),
        hint: "Open one on the Campaigns page".to_owned(),
    }
}

/// A notice of an error and its causes.
pub(super) fn failure(what: &str, error: &anyhow::Error) -> Notice {
    Notice { is_error: true, what: what.to_owned(), why: crate::work::error_chain(error), hint: String::new() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// An answer that notes where it is freed.
    struct DropNote;

    static FREED_ON: Mutex<Vec<String>> = Mutex::new(Vec::new());

    impl Drop for DropNote {
        fn drop(&mut self) {
            let thread = std::thread::current().name().unwrap_or_default().to_owned();
            FREED_ON.lock().unwrap().push(thread);
        }
    }

    #[test]
    fn answers_are_freed_on_a_worker() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = crate::store::Workspace::create(&folder.path().join("w")).unwrap();
        let cx = ReadCx {
            session: Some(Arc::new(Session::new(workspace))),
            generation: 0,
            wake: Arc::new(|| {}),
            pool: Pool::new("test reader", 1, Order::NewestFirst).unwrap(),
            later: Cell::new(None),
        };
        let mut cache = Cache::<usize, DropNote>::default();
        for query in 0..=ANSWERS_KEPT {
            while cache.get(&cx, query, None, |_, _| anyhow::Ok(DropNote)).ready().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        while FREED_ON.lock().unwrap().len() < ANSWERS_KEPT / 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(FREED_ON.lock().unwrap().iter().all(|thread| thread == "test reader"));
    }

    #[test]
    fn tasks_run_in_the_order_of_the_pool_and_survive_a_panic() {
        for (order, expected) in [(Order::OldestFirst, [0, 1, 2]), (Order::NewestFirst, [2, 1, 0])] {
            let pool = Pool::new("test", 1, order).unwrap();
            let (gate, opened) = unbounded::<()>();
            let (done, ran) = unbounded();
            let (begun, begins) = unbounded();
            pool.run(move || {
                begun.send(()).unwrap();
                opened.recv().unwrap();
                panic!("a defect");
            });
            begins.recv().unwrap();
            for number in 0..3 {
                let done = done.clone();
                pool.run(move || done.send(number).unwrap());
            }
            gate.send(()).unwrap();
            let seen: Vec<i32> = (0..3).map(|_| ran.recv().unwrap()).collect();
            assert_eq!(seen, expected, "{order:?}");
        }
    }
}
