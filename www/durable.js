// The durable copy of local storage. The page reads and writes local storage, which is synchronous and tells other tabs of
// changes. Browsers write it to the disk seconds later, so a killed browser loses the last edits. Each change is therefore
// copied to IndexedDB, where a strict transaction is on the disk when it ends, and what local storage has lost is restored
// from there when the page starts. Where IndexedDB is denied, the page has local storage alone.
//
// A record of the copy is { name, stamp, text }, or { name, stamp, gone } for a name that was deleted. `stamp` is the time
// of its flush, and never falls. Local storage has the stamp of the last flush, which is written after the texts, so a
// record with a later stamp is newer than what local storage has.
(() => {
  const prefix = new URL(".", location.href).pathname + "tabletop.";
  const STAMP = prefix + "stamp";
  const TEXTS = "texts";
  // Milliseconds between two copies. Changes in the meantime are copied together.
  const PAUSE = 100;
  // Milliseconds after which the page starts without waiting for a database that does not open.
  const LATE = 4_000;
  // Milliseconds after which local storage is certain to be on the disk, too.
  const FLUSHED = 86_400_000;
  const changed = new Set();
  let database;
  let copying = false;
  let isLate = false;

  const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
  const answer = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const lastStamp = () => Number(localStorage.getItem(STAMP));

  const open = async () => {
    const request = indexedDB.open(prefix, 1);
    request.onupgradeneeded = () => {
      const texts = request.result.createObjectStore(TEXTS, { keyPath: "name" });
      texts.createIndex("stamp", "stamp");
      texts.createIndex("gone", "gone");
    };
    const opened = await answer(request);
    const forget = () => database = undefined;
    // The user deletes the data of this site, or another tab has a later version.
    opened.onclose = forget;
    opened.onversionchange = () => {
      opened.close();
      forget();
    };
    return opened;
  };

  const restore = async () => {
    database = await open();
    const texts = database.transaction(TEXTS).objectStore(TEXTS);
    const lost = await answer(texts.index("stamp").getAll(IDBKeyRange.lowerBound(lastStamp(), true)));
    for (const { name, text } of lost) {
      const key = prefix + name;
      const before = localStorage.getItem(key);
      if (text === undefined) localStorage.removeItem(key);
      else localStorage.setItem(key, text);
      // A restored tab has a copy that was in step with local storage, and stays in step.
      for (const [copy, old] of Object.entries(sessionStorage)) {
        if (!copy.startsWith(prefix) || old !== before) continue;
        if (text !== undefined) sessionStorage.setItem(copy, text);
        // The tab's workspace is deleted: it starts with the one that was opened last.
        else for (const each of [copy, prefix + "tab"]) sessionStorage.removeItem(each);
      }
      // The page has started with the earlier text: it asks the user which of the two to save.
      if (isLate) dispatchEvent(new StorageEvent("storage", { key }));
    }
    if (lost.length > 0) localStorage.setItem(STAMP, Math.max(...lost.map(({ stamp }) => stamp)));
  };

  // Copies what has changed. Returns whether it is on the disk.
  const copy = async (names) => {
    try {
      database ??= await open();
      const stamp = Math.max(Date.now(), lastStamp() + 1);
      const transaction = database.transaction(TEXTS, "readwrite", { durability: "strict" });
      const ended = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      const texts = transaction.objectStore(TEXTS);
      for (const name of names) {
        const text = localStorage.getItem(prefix + name);
        const record = text === null ? { name, stamp, gone: stamp } : { name, stamp, text };
        // Another tab may have copied a later text.
        texts.get(name).onsuccess = ({ target }) => {
          if (!(target.result?.stamp > stamp)) texts.put(record);
        };
      }
      texts.index("gone").openKeyCursor(IDBKeyRange.upperBound(stamp - FLUSHED)).onsuccess = ({ target }) => {
        if (!target.result) return;
        texts.delete(target.result.primaryKey);
        target.result.continue();
      };
      localStorage.setItem(STAMP, stamp);
      await ended;
      return true;
    } catch {
      return false;
    }
  };

  const restored = restore().catch(() => {});
  // The page's program waits for this before it reads local storage (crates/ui/src/browser/stored.rs).
  window.tabletopRestored = Promise.race([restored, pause(LATE).then(() => isLate = true)]);
  // The page's program calls this after each change.
  window.tabletopKeep = async (name) => {
    changed.add(name);
    if (copying) return;
    copying = true;
    // What is not restored yet must not be overwritten.
    await restored;
    while (changed.size > 0) {
      const names = [...changed];
      changed.clear();
      if (!(await copy(names))) {
        // They are copied with the next change.
        names.forEach((name) => changed.add(name));
        break;
      }
      await pause(PAUSE);
    }
    copying = false;
  };
})();
