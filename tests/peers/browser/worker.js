// Measures one store and sends its figures.

onmessage = async ({ data: { store, layout, events } }) => {
  try {
    const { measure } = await import(`./${store}.js`);
    postMessage({ figures: await measure(layout, events) });
  } catch (error) {
    postMessage({ error: `${store}: ${error.stack ?? error}` });
  }
};
