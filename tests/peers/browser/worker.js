// Measures one store and sends its figures.

onmessage = async ({ data: { store, layout, events } }) => {
  try {
    const { measure, profiles } = await import(`./${store}.js`);
    postMessage({ figures: await (layout === "profiles" ? profiles(events) : measure(layout, events)) });
  } catch (error) {
    postMessage({ error: `${store}: ${error.stack ?? error}` });
  }
};
